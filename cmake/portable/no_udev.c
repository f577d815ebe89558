/* SPDX-License-Identifier: Apache-2.0
 *
 * no_udev: libudev for portable programs, as there is no archive of it: there is no udev. hwloc asks it only for the
 * names of disks, which nobody here wants to know, and goes on without.
 */
#include <stddef.h>

void *udev_new(void);
void *udev_unref(void *udev);
void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name);
void *udev_device_unref(void *device);
const char *udev_device_get_property_value(void *device, const char *name);

void *udev_new(void) { return NULL; }

void *udev_unref(void *udev)
{
    (void)udev;
    return NULL;
}

void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name)
{
    (void)udev;
    (void)subsystem;
    (void)name;
    return NULL;
}

void *udev_device_unref(void *device)
{
    (void)device;
    return NULL;
}

const char *udev_device_get_property_value(void *device, const char *name)
{
    (void)device;
    (void)name;
    return NULL;
}
