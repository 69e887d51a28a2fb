# What the charts read: every sample.
lacuna_room_part(app_state samples OPTIONS $<$<CONFIG:Release>:-O2> SOURCES sample_series.cpp metrics_store.cpp)
