// A separate program, because a process has only one application object.

#include "ui/window/guarded_application.h"

#include <gtest/gtest.h>

#include <QStringList>
#include <QTimer>
#include <new>
#include <stdexcept>

namespace lacuna::ui {
namespace {

TEST(GuardedApplication, exceptionOfAHandler_isReportedAndTheEventLoopContinues) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    int count = 1;
    char name[] = "test";
    char* arguments[] = {name, nullptr};
    GuardedApplication application(count, arguments);
    QStringList told;
    application.onFailure([&told](const QString& sentence) { told << sentence; });
    QTimer::singleShot(0, &application, [] { throw std::bad_alloc(); });
    QTimer::singleShot(0, &application, [] { throw std::runtime_error("a thing of its own"); });
    QTimer::singleShot(0, &application, [] { throw 7; });
    QMetaObject::invokeMethod(
        &application, [] { throw std::bad_alloc(); }, Qt::QueuedConnection);
    bool after = false;
    QTimer::singleShot(1, &application, [&after] {
        after = true;
        QCoreApplication::quit();
    });
    QTimer::singleShot(60'000, &application, &QCoreApplication::quit);
    QCoreApplication::exec();
    EXPECT_TRUE(after);
    ASSERT_EQ(told.size(), 4);
    EXPECT_EQ(told.filter(QStringLiteral("memory")).size(), 2);
    EXPECT_EQ(told.filter(QStringLiteral("a thing of its own")).size(), 1);
}

TEST(PlatformMessages, unsupportedPluginWarnings_areDropped_othersArePassedOn) {
    static QStringList heard;
    heard.clear();
    const auto before = qInstallMessageHandler(
        [](QtMsgType, const QMessageLogContext&, const QString& text) { heard << text; });
    {
        const PlatformMessageFilter filter;
        qWarning("This plugin does not support propagateSizeHints()");
        qWarning("This plugin does not support raise()");
        qWarning("something else");
    }
    qWarning("This plugin does not support propagateSizeHints()");
    qInstallMessageHandler(before);
    EXPECT_EQ(heard, (QStringList{QStringLiteral("something else"),
                                  QStringLiteral("This plugin does not support "
                                                 "propagateSizeHints()")}))
        << "and after it, everything again";
}

}  // namespace
}  // namespace lacuna::ui
