#pragma once
/// \file
/// A Qt application without widgets, for tests of controllers.

#include <QCoreApplication>

namespace lacuna::app {

/// Creates the single application of this test program on the first call, unless one exists.
inline QCoreApplication& coreApplication() {
    if (QCoreApplication* there = QCoreApplication::instance()) return *there;
    static int count = 1;
    static char name[] = "test";
    static char* arguments[] = {name, nullptr};
    static QCoreApplication application(count, arguments);
    return application;
}

}  // namespace lacuna::app
