# Charts and the panels made of them.
target_sources(lacuna_ui PRIVATE
    chart_scale.cpp chart_content.cpp chart_events.cpp chart_crosshair.cpp chart_window.cpp
    plot_widget.cpp plot_cell.cpp telemetry_panel.cpp timeline_panel.cpp pareto_plot.cpp memory_plan_chart.cpp)
# What goes over every pixel or point.
lacuna_room_part(ui drawing OPTIONS $<$<CONFIG:Release>:-O2>
    SOURCES heat_map.cpp retention_view.cpp chart_frame.cpp chart_painter.cpp chart_shapes.cpp chart_curves.cpp chart_builders.cpp
        time_series_view.cpp)
