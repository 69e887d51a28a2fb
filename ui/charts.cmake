# Charts and the panels made of them.
target_sources(lacuna_ui PRIVATE
    chart_scale.cpp chart_content.cpp chart_builders.cpp chart_curves.cpp chart_events.cpp
    chart_painter.cpp chart_shapes.cpp chart_crosshair.cpp time_series_view.cpp chart_window.cpp
    plot_widget.cpp plot_cell.cpp telemetry_panel.cpp timeline_panel.cpp retention_view.cpp
    heat_map.cpp pareto_plot.cpp memory_plan_chart.cpp)
