# Charts and the panels made of them.
target_sources(lacuna_ui PRIVATE chart_scale.cpp)
