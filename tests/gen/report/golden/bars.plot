900 x 190
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
unset grid
set border 1
set lmargin 1.5
set tmargin 0
unset ytics
set style fill solid 1 noborder
set xlabel 'M' offset 0,0.4 textcolor rgb '#000003'
set logscale x
set xrange [0.925925926:259.2]
set xtics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200)
set yrange [0:3]
$run << END
7 2.25 6.796117 7.21 2.05 2.45 16
2.083718 1.25 0.9708738 4.472136 1.05 1.45 16
4.949232 1.25 4.472136 5.477226 1.05 1.45 17
10.5948 1.25 5.477226 20.4939 1.05 1.45 16
20.98809 1.25 20.4939 21.49419 1.05 1.45 17
28.00829 1.25 21.49419 36.49658 1.05 1.45 16
36.99324 1.25 36.49658 37.49667 1.05 1.45 17
44.36762 1.25 37.49667 52.49762 1.05 1.45 16
52.99528 1.25 52.49762 53.49766 1.05 1.45 17
60.53505 1.25 53.49766 68.49818 1.05 1.45 16
68.99638 1.25 68.49818 69.4982 1.05 1.45 17
75.67464 1.25 69.4982 82.4 1.05 1.45 16
7.525147 0.25 2.912621 19.44222 0.05 0.45 16
20.89203 0.25 19.44222 22.44994 0.05 0.45 17
26.57764 0.25 22.44994 31.46427 0.05 0.45 16
61.05912 0.25 31.46427 118.4905 0.05 0.45 17
139.1847 0.25 118.4905 163.4931 0.05 0.45 16
164.9864 0.25 163.4931 166.4932 0.05 0.45 17
187.6498 0.25 166.4932 211.4947 0.05 0.45 16
212.9894 0.25 211.4947 214.4948 0.05 0.45 17
230.2675 0.25 214.4948 247.2 0.05 0.45 16
END
set label 'N = 7, K = 7' at graph 0, first 2.63 offset 0.3,0 textcolor rgb '#000003'
set label 'k10' at 2.083718,1.25 center front textcolor rgb '#000004'
set label 'k11' at 4.949232,1.25 center front textcolor rgb '#000004'
set label 'k10' at 10.5948,1.25 center front textcolor rgb '#000004'
set label 'k10' at 28.00829,1.25 center front textcolor rgb '#000004'
set label 'k10' at 44.36762,1.25 center front textcolor rgb '#000004'
set label 'k10' at 60.53505,1.25 center front textcolor rgb '#000004'
set label 'N = 48, K = 16' at graph 0, first 1.63 offset 0.3,0 textcolor rgb '#000003'
set label 'k10' at 7.525147,0.25 center front textcolor rgb '#000004'
set label 'k10' at 26.57764,0.25 center front textcolor rgb '#000004'
set label 'k11' at 61.05912,0.25 center front textcolor rgb '#000004'
set label 'k10' at 139.1847,0.25 center front textcolor rgb '#000004'
set label 'k10' at 187.6498,0.25 center front textcolor rgb '#000004'
set label 'N = 320, K = 16' at graph 0, first 0.63 offset 0.3,0 textcolor rgb '#000003'
plot $run using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
440 x 190
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
unset grid
set border 1
set lmargin 1.5
set tmargin 0
unset ytics
set style fill solid 1 noborder
set xlabel 'M' offset 0,0.4 textcolor rgb '#000003'
set logscale x
set xrange [0.925925926:259.2]
set xtics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200)
set yrange [0:3]
$run << END
7 2.25 6.796117 7.21 2.05 2.45 16
2.083718 1.25 0.9708738 4.472136 1.05 1.45 16
4.949232 1.25 4.472136 5.477226 1.05 1.45 17
10.5948 1.25 5.477226 20.4939 1.05 1.45 16
20.98809 1.25 20.4939 21.49419 1.05 1.45 17
28.00829 1.25 21.49419 36.49658 1.05 1.45 16
36.99324 1.25 36.49658 37.49667 1.05 1.45 17
44.36762 1.25 37.49667 52.49762 1.05 1.45 16
52.99528 1.25 52.49762 53.49766 1.05 1.45 17
60.53505 1.25 53.49766 68.49818 1.05 1.45 16
68.99638 1.25 68.49818 69.4982 1.05 1.45 17
75.67464 1.25 69.4982 82.4 1.05 1.45 16
7.525147 0.25 2.912621 19.44222 0.05 0.45 16
20.89203 0.25 19.44222 22.44994 0.05 0.45 17
26.57764 0.25 22.44994 31.46427 0.05 0.45 16
61.05912 0.25 31.46427 118.4905 0.05 0.45 17
139.1847 0.25 118.4905 163.4931 0.05 0.45 16
164.9864 0.25 163.4931 166.4932 0.05 0.45 17
187.6498 0.25 166.4932 211.4947 0.05 0.45 16
212.9894 0.25 211.4947 214.4948 0.05 0.45 17
230.2675 0.25 214.4948 247.2 0.05 0.45 16
END
set label 'N = 7, K = 7' at graph 0, first 2.63 offset 0.3,0 textcolor rgb '#000003'
set label 'k10' at 2.083718,1.25 center front textcolor rgb '#000004'
set label 'k10' at 10.5948,1.25 center front textcolor rgb '#000004'
set label 'k10' at 28.00829,1.25 center front textcolor rgb '#000004'
set label 'N = 48, K = 16' at graph 0, first 1.63 offset 0.3,0 textcolor rgb '#000003'
set label 'k10' at 7.525147,0.25 center front textcolor rgb '#000004'
set label 'k11' at 61.05912,0.25 center front textcolor rgb '#000004'
set label 'N = 320, K = 16' at graph 0, first 0.63 offset 0.3,0 textcolor rgb '#000003'
plot $run using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
