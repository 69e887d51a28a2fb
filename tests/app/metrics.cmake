lacuna_tests(metrics
    SOURCES sample_series_test.cpp metrics_store_test.cpp memory_verdict_test.cpp
    LINK lacuna_app_state
    PRECOMPILED none)
