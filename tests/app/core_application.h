#pragma once
/// \file
/// A Qt application without widgets, for tests of controllers.

#include <QCoreApplication>

namespace lacuna::app {

/// Makes the one application of this test program at the first call.
inline QCoreApplication& coreApplication() {
    static int count = 1;
    static char name[] = "test";
    static char* arguments[] = {name, nullptr};
    static QCoreApplication application(count, arguments);
    return application;
}

}  // namespace lacuna::app
