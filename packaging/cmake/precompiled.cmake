# lacuna_precompile(TARGET SET): TARGET uses the precompiled headers of SET. The first target of a set creates the file and
# the others use it, so all of them must be compiled with the same options. Sources still include what they use: tests/lint
# and the clang preset compile them without it.
#   standard  the standard library, results, texts and JSON
#   qt        these and Qt Core, with position-independent code as Qt requires
#   widgets   these and Qt Widgets
#   commands  standard, with position-independent code
#   tests     standard and GoogleTest;  qt_tests  qt and GoogleTest, compiled as tests
option(LACUNA_PRECOMPILE "Parse the headers that everything includes once (GCC)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(LACUNA_PRECOMPILE OFF)
endif()

set(lacuna_standard_headers
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <compare> <condition_variable> <cstdint> <cstdlib> <cstring>
    <deque> <filesystem> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <stop_token> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> <tl/expected.hpp>)
set(lacuna_qt_headers ${lacuna_standard_headers}
    <QAbstractListModel> <QByteArray> <QDateTime> <QFile> <QHash> <QList> <QObject> <QPointer> <QString> <QStringList>
    <QTimer> <QVariant>)
set(lacuna_widgets_headers ${lacuna_qt_headers}
    <QAction> <QApplication> <QBoxLayout> <QComboBox> <QDialog> <QEvent> <QFormLayout> <QLabel> <QLineEdit> <QMainWindow>
    <QPainter> <QPushButton> <QTableView> <QToolButton> <QWidget>)
set(lacuna_commands_headers ${lacuna_standard_headers})
set(lacuna_tests_headers ${lacuna_standard_headers} <gtest/gtest.h> <gmock/gmock.h>)
set(lacuna_qt_tests_headers ${lacuna_qt_headers} <gtest/gtest.h> <gmock/gmock.h>)

function(lacuna_precompile target set)
    if(NOT LACUNA_PRECOMPILE OR set STREQUAL none)
        return()
    endif()
    get_property(owner GLOBAL PROPERTY lacuna_precompiled_${set})
    if(owner)
        target_precompile_headers(${target} REUSE_FROM ${owner})
    else()
        target_precompile_headers(${target} PRIVATE ${lacuna_${set}_headers})
        set_property(GLOBAL PROPERTY lacuna_precompiled_${set} ${target})
    endif()
endfunction()
