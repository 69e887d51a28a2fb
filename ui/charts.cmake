# Charts and the panels made of them.
target_sources(lacuna_ui PRIVATE
    chart_scale.cpp chart_content.cpp chart_builders.cpp chart_curves.cpp chart_events.cpp
    chart_painter.cpp chart_shapes.cpp chart_crosshair.cpp time_series_view.cpp series_canvas.cpp
    canvas_input.cpp chart_window.cpp plot_cell.cpp plot_widget.cpp chart_grid.cpp metrics_csv.cpp telemetry_panel.cpp
    timeline_model.cpp timeline_filter.cpp timeline_panel.cpp retention_view.cpp report_images.cpp
    chart_lanes.cpp chart_table_page.cpp token_fate.cpp heat_map.cpp heat_map_view.cpp
    cache_map_panel.cpp pareto_plot.cpp comparison_table.cpp)
