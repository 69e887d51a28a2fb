#pragma once
/// \file
/// A Qt application without widgets, for tests of controllers.

#include <QCoreApplication>

namespace lacuna::app {

/// Makes the one application of this test program at the first call, unless there is one.
inline QCoreApplication& coreApplication() {
    if (QCoreApplication* there = QCoreApplication::instance()) return *there;
    static int count = 1;
    static char name[] = "test";
    static char* arguments[] = {name, nullptr};
    static QCoreApplication application(count, arguments);
    return application;
}

}  // namespace lacuna::app
