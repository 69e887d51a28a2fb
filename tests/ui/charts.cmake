lacuna_tests(chart_scale SOURCES ${CMAKE_CURRENT_LIST_DIR}/chart_scale_test.cpp LINK lacuna_ui)
