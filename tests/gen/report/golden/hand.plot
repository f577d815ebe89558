reset
set terminal svg size 440,270 font 'sans-serif,13' noenhanced name 'avx512_0'
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
set xlabel 'M' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'GFLOP/s' offset 0.8,0 textcolor rgb '#000003'
set logscale x
set xrange [0.925925926:8.64]
set xtics ('1' 1, '1.5' 1.5, '2' 2, '3' 3, '5' 5, '7' 7)
set logscale y
set yrange [0.304761905:1.12]
set ytics ('0.5' 0.5, '0.7' 0.7, '1' 1)
$roof << END
1 1
2 1
3 1
4 1
5 1
6 1
7 1
8 1
END
$general << END
1 0.4096
2 0.512
3 0.768
4 0.512
5 0.512
6 0.512
7 0.512
8 0.4551111
END
$library << END
1 0.3413333
8 0.6826667
END
$library_dot << END
1 0.3413333
8 0.6826667
END
$line << END
1 0.512
2 0.5688889
3 0.768
4 0.512
5 0.512
6 0.4654545
7 0.4654545
8 0.512
END
$best << END
1 0.512
3 0.768
8 0.64
END
$dot << END
1 0.512
3 0.768
8 0.512
END
plot $roof using 1:2 notitle with lines lc rgb '#00000c', $general using 1:2 notitle with lines lc rgb '#000006', $library using 1:2 notitle with lines lc rgb '#00000d', $library_dot using 1:2 notitle with points pt 7 ps 0.45 lc rgb '#00000e', $line using 1:2 notitle with lines lc rgb '#000005', $best using 1:2 notitle with points pt 6 ps 0.82 lc rgb '#000007', $dot using 1:2 notitle with points pt 7 ps 0.51 lc rgb '#000008'
reset
set terminal svg size 900,102 font 'sans-serif,13' noenhanced name 'avx512_1'
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
set xrange [0.925925926:8.64]
set xtics ('1' 1, '1.5' 1.5, '2' 2, '3' 3, '5' 5, '7' 7)
set yrange [0:1]
$run << END
1.542124 0.25 0.9708738 2.44949 0.05 0.45 17
3.662842 0.25 2.44949 5.477226 0.05 0.45 16
6.718061 0.25 5.477226 8.24 0.05 0.45 17
END
set label 'k11' at 1.542124,0.25 center front textcolor rgb '#000004'
set label 'k10' at 3.662842,0.25 center front textcolor rgb '#000004'
set label 'k11' at 6.718061,0.25 center front textcolor rgb '#000004'
set label 'N = 16, K = 16' at graph 0, first 0.63 offset 0.3,0 textcolor rgb '#000003'
plot $run using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
reset
set terminal svg size 440,102 font 'sans-serif,13' noenhanced name 'avx512_2'
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
set xrange [0.925925926:8.64]
set xtics ('1' 1, '1.5' 1.5, '2' 2, '3' 3, '5' 5, '7' 7)
set yrange [0:1]
$run << END
1.542124 0.25 0.9708738 2.44949 0.05 0.45 17
3.662842 0.25 2.44949 5.477226 0.05 0.45 16
6.718061 0.25 5.477226 8.24 0.05 0.45 17
END
set label 'k11' at 1.542124,0.25 center front textcolor rgb '#000004'
set label 'k10' at 3.662842,0.25 center front textcolor rgb '#000004'
set label 'k11' at 6.718061,0.25 center front textcolor rgb '#000004'
set label 'N = 16, K = 16' at graph 0, first 0.63 offset 0.3,0 textcolor rgb '#000003'
plot $run using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable
reset
set terminal svg size 440,360 font 'sans-serif,13' noenhanced name 'avx512_3'
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
$cloud << END
2 1.914768
4 1.907058
6.4 4.096
END
$kept << END
1 1.632402
3 1.796293
8 4.096
1.25 1.794674
2 1.714875
9 4.096
END
set xlabel 'measured, microseconds' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'predicted, microseconds' offset 0.8,0 textcolor rgb '#000003'
set lmargin 11
set rmargin 3
set logscale x
set xrange [0.833333333:10.8]
set xtics ('1' 1, '2' 2, '5' 5, '10' 10)
set logscale y
set yrange [0.833333333:10.8]
set ytics ('1' 1, '2' 2, '5' 5, '10' 10)
$guide << END
0.833333333 0.833333333
10.8 10.8
END
plot $guide using 1:2 notitle with lines lc rgb '#00000b', $cloud using 1:2 notitle with points pt 7 ps 0.33 lc rgb '#000009', $kept using 1:2 notitle with points pt 7 ps 0.45 lc rgb '#00000a'
reset
set terminal svg size 440,270 font 'sans-serif,13' noenhanced name 'avx512_4'
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
$cloud << END
1 0.9573841
3 0.4767645
8 0.64
END
$kept << END
1 1.632402
3 0.5987643
8 0.512
1 1.435739
3 0.8574377
8 0.4551111
END
set xlabel 'M' offset 0,0.4 textcolor rgb '#000003'
set ylabel 'predicted / measured' offset 0.8,0 textcolor rgb '#000003'
set logscale x
set xrange [0.925925926:8.64]
set xtics ('1' 1, '1.5' 1.5, '2' 2, '3' 3, '5' 5, '7' 7)
set logscale y
set yrange [0.433439153:1.71402249]
set ytics ('0.5' 0.5, '0.7' 0.7, '1' 1, '1.5' 1.5)
$guide << END
0.925925926 1
8.64 1
END
plot $guide using 1:2 notitle with lines lc rgb '#00000b', $cloud using 1:2 notitle with points pt 7 ps 0.33 lc rgb '#000009', $kept using 1:2 notitle with points pt 7 ps 0.45 lc rgb '#00000a'
reset
set terminal svg size 440,270 font 'sans-serif,13' noenhanced name 'avx512_5'
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
set xlabel 'machine code, KiB' offset 0,0.4 textcolor rgb '#000003'
set xrange [0:5.30103516]
set xtics ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5)
set ylabel 'above best known, %' offset 0.8,0 textcolor rgb '#000003'
set yrange [0:22.4]
set ytics ('0' 0, '5' 5, '10' 10, '15' 15, '20' 20)
set label '1' at 2.024414,20 center offset 0,0.8 front textcolor rgb '#000003'
set label '2' at 3.000977,5 center offset 0,0.8 front textcolor rgb '#000003'
set label '3' at 5.000977,1 center offset 0,0.8 front textcolor rgb '#000003'
$within << END
2.024414 20
3.000977 5
END
$beyond << END
3.000977 5
5.000977 1
END
$mark << END
3.000977 5
END
plot $beyond using 1:2 notitle with lines lc rgb '#000006', $beyond using 1:2 notitle with points pt 7 ps 0.33 lc rgb '#000009', $within using 1:2 notitle with lines lc rgb '#000005', $within using 1:2 notitle with points pt 7 ps 0.51 lc rgb '#000008', $mark using 1:2 notitle with points pt 6 ps 0.82 lc rgb '#000007'
reset
set terminal svg size 440,270 font 'sans-serif,13' noenhanced name 'avx512_6'
set border 3 back lw 1 lc rgb '#000001'
set grid lt 1 lw 1 dt 1 lc rgb '#000002'
set tics nomirror scale 0.5,0 textcolor rgb '#000003'
set key off
set rmargin 1.5
set tmargin 0.8
set lmargin 8
set bmargin 3
set xlabel 'kernels measured' offset 0,0.4 textcolor rgb '#000003'
set xrange [1:5]
set xtics ('1' 1, '2' 2, '3' 3, '4' 4, '5' 5)
set ylabel 'above best known, %' offset 0.8,0 textcolor rgb '#000003'
set yrange [0:35]
set ytics ('0' 0, '10' 10, '20' 20, '30' 30)
$line << END
2 31.25
3 31.25
4 6.25
5 0
END
plot $line using 1:2 notitle with steps lc rgb '#000005'
