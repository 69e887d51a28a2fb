#pragma once
/// \file
/// A Qt application for tests that need widgets, on the offscreen platform unless overridden.

#include <QApplication>
#include <QEvent>

namespace lacuna::ui {

/// Creates the single application of this test program on the first call.
inline QApplication& offscreenApplication() {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    static int count = 1;
    static char name[] = "test";
    static char* arguments[] = {name, nullptr};
    // Never destroyed: at exit the libraries it needs may be unloaded before it.
    static auto* const application = new QApplication(count, arguments);
    return *application;
}

/// Delivers the pending events: layouts, paint events, deferred deletions.
inline void deliverEvents() {
    QCoreApplication::processEvents();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

}  // namespace lacuna::ui
