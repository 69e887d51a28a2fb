# What the charts read: every sample.
lacuna_module_part(app_state samples OPTIONS $<$<CONFIG:Release>:-O2> SOURCES telemetry/sample_series.cpp telemetry/metrics_store.cpp telemetry/memory_verdict.cpp settings/predicted_memory.cpp)
