lacuna_tests(chart_scale SOURCES chart_scale_test.cpp chart_window_test.cpp chart_builders_test.cpp LINK lacuna_ui)
lacuna_tests(chart_widgets SOURCES chart_widgets_test.cpp timeline_test.cpp LINK lacuna_ui Qt6::Test)
