lacuna_tests(chart_scale SOURCES chart_scale_test.cpp chart_window_test.cpp chart_builders_test.cpp LINK lacuna_ui PRECOMPILED qt_tests)
lacuna_tests(chart_widgets SOURCES chart_widgets_test.cpp timeline_test.cpp heat_map_test.cpp LINK lacuna_ui Qt6::Test PRECOMPILED qt_tests)
# A measurement, built on request only (cmake --build BUILD --target bench_charts).
add_executable(bench_charts EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/bench_charts.cpp)
target_link_libraries(bench_charts PRIVATE lacuna_options lacuna_warnings lacuna_ui)
