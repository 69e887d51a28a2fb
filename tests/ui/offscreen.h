#pragma once
/// \file
/// A Qt application for tests that need widgets, on the offscreen platform unless told otherwise.

#include <QApplication>

namespace lacuna::ui {

/// Makes the one application of this test program at the first call.
inline QApplication& offscreenApplication() {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    static int count = 1;
    static char name[] = "test";
    static char* arguments[] = {name, nullptr};
    // Never destroyed: at exit the libraries it needs may be gone before it.
    static auto* const application = new QApplication(count, arguments);
    return *application;
}

}  // namespace lacuna::ui
