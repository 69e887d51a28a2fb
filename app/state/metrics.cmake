# What the charts read; kept apart so that the room's own list stays short.
target_sources(lacuna_app_state PRIVATE sample_series.cpp metrics_store.cpp)
