lacuna_tests(metrics
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/sample_series_test.cpp ${CMAKE_CURRENT_LIST_DIR}/metrics_store_test.cpp
    LINK lacuna_app_state)
