M = 5*T, N = 16*T, K = 8*S, 1 thread
M = 5*S, N = 3*T, K = 8, 1 thread
M = 5*T, N = 16*T, K = 8*S, 2 threads
M = 5*S, N = 3*T, K = 8, 2 threads
440 x 320
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
unset grid
set style fill solid 1 noborder
set xlabel 'K' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'M' offset 0.8,0 textcolor rgb '#000003'
set logscale x
set xrange [7.27272727:79.2]
set xtics ('10' 10, '15' 15, '20' 20, '30' 30, '50' 50, '70' 70)
set logscale y
set yrange [4.54545455:33]
set ytics ('5' 5, '7' 7, '10' 10, '15' 15, '20' 20, '30' 30)
$cell << END
23.56693 5.669322 7.272727 76.36753 4.545455 7.071068 17
23.56693 9.306049 7.272727 76.36753 7.071068 12.24745 16
23.56693 14.56475 7.272727 76.36753 12.24745 17.32051 16
23.56693 19.6799 7.272727 76.36753 17.32051 22.36068 16
23.56693 24.74616 7.272727 76.36753 22.36068 27.38613 16
23.56693 30 7.272727 76.36753 27.38613 32.86335 16
END
set label 'k10' at 23.56693,9.306049 center front textcolor rgb '#000004'
set label 'k11' at 23.56693,5.669322 center front textcolor rgb '#000004'
plot $cell using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
440 x 320
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
unset grid
set style fill solid 1 noborder
set xlabel 'M' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'N' offset 0.8,0 textcolor rgb '#000003'
set logscale x
set xrange [4.54545455:49.5]
set xtics ('5' 5, '7' 7, '10' 10, '15' 15, '20' 20, '30' 30)
set logscale y
set yrange [2.72727273:19.8]
set ytics ('3' 3, '5' 5, '7' 7, '10' 10, '15' 15)
$cell << END
5.669322 3.401593 4.545455 7.071068 2.727273 4.242641 17
18.37117 3.401593 7.071068 47.72971 2.727273 4.242641 16
5.669322 5.583629 4.545455 7.071068 4.242641 7.348469 17
18.37117 5.583629 7.071068 47.72971 4.242641 7.348469 16
5.669322 8.738852 4.545455 7.071068 7.348469 10.3923 17
18.37117 8.738852 7.071068 47.72971 7.348469 10.3923 16
5.669322 11.80794 4.545455 7.071068 10.3923 13.41641 17
18.37117 11.80794 7.071068 47.72971 10.3923 13.41641 16
5.669322 14.8477 4.545455 7.071068 13.41641 16.43168 17
18.37117 14.8477 7.071068 47.72971 13.41641 16.43168 16
5.669322 18 4.545455 7.071068 16.43168 19.71801 17
18.37117 18 7.071068 47.72971 16.43168 19.71801 16
END
set label 'k10' at 18.37117,3.401593 center front textcolor rgb '#000004'
set label 'k11' at 5.669322,3.401593 center front textcolor rgb '#000004'
plot $cell using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
440 x 320
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
unset grid
set style fill solid 1 noborder
set xlabel 'K' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'M' offset 0.8,0 textcolor rgb '#000003'
set logscale x
set xrange [7.27272727:79.2]
set xtics ('10' 10, '15' 15, '20' 20, '30' 30, '50' 50, '70' 70)
set logscale y
set yrange [4.54545455:33]
set ytics ('5' 5, '7' 7, '10' 10, '15' 15, '20' 20, '30' 30)
$cell << END
23.56693 5.669322 7.272727 76.36753 4.545455 7.071068 17
23.56693 9.306049 7.272727 76.36753 7.071068 12.24745 16
23.56693 14.56475 7.272727 76.36753 12.24745 17.32051 16
23.56693 19.6799 7.272727 76.36753 17.32051 22.36068 16
23.56693 24.74616 7.272727 76.36753 22.36068 27.38613 16
23.56693 30 7.272727 76.36753 27.38613 32.86335 16
END
set label 'k10' at 23.56693,9.306049 center front textcolor rgb '#000004'
set label 'k11' at 23.56693,5.669322 center front textcolor rgb '#000004'
plot $cell using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
440 x 320
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
unset grid
set style fill solid 1 noborder
set xlabel 'M' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'N' offset 0.8,0 textcolor rgb '#000003'
set logscale x
set xrange [4.54545455:49.5]
set xtics ('5' 5, '7' 7, '10' 10, '15' 15, '20' 20, '30' 30)
set logscale y
set yrange [2.72727273:19.8]
set ytics ('3' 3, '5' 5, '7' 7, '10' 10, '15' 15)
$cell << END
5.669322 3.401593 4.545455 7.071068 2.727273 4.242641 17
18.37117 3.401593 7.071068 47.72971 2.727273 4.242641 16
5.669322 5.583629 4.545455 7.071068 4.242641 7.348469 17
18.37117 5.583629 7.071068 47.72971 4.242641 7.348469 16
5.669322 8.738852 4.545455 7.071068 7.348469 10.3923 17
18.37117 8.738852 7.071068 47.72971 7.348469 10.3923 16
5.669322 11.80794 4.545455 7.071068 10.3923 13.41641 17
18.37117 11.80794 7.071068 47.72971 10.3923 13.41641 16
5.669322 14.8477 4.545455 7.071068 13.41641 16.43168 17
18.37117 14.8477 7.071068 47.72971 13.41641 16.43168 16
5.669322 18 4.545455 7.071068 16.43168 19.71801 17
18.37117 18 7.071068 47.72971 16.43168 19.71801 16
END
set label 'k10' at 18.37117,3.401593 center front textcolor rgb '#000004'
set label 'k11' at 5.669322,3.401593 center front textcolor rgb '#000004'
plot $cell using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
