# Charts and the panels made of them.
target_sources(lacuna_ui PRIVATE
    charts/chart_scale.cpp charts/chart_content.cpp charts/chart_events.cpp charts/chart_crosshair.cpp charts/chart_window.cpp
    charts/plot_widget.cpp charts/plot_cell.cpp panels/telemetry_panel.cpp panels/timeline_panel.cpp charts/pareto_plot.cpp charts/memory_plan_chart.cpp)
# Code that visits every pixel or point.
lacuna_module_part(ui drawing OPTIONS $<$<CONFIG:Release>:-O2>
    SOURCES charts/heat_map.cpp charts/retention_view.cpp charts/chart_frame.cpp charts/chart_painter.cpp charts/chart_shapes.cpp charts/chart_curves.cpp charts/chart_builders.cpp
        charts/time_series_view.cpp)
