#pragma once
/// \file
/// Fails the running test if Qt reports misuse: a timer stopped by another thread, a painter that
/// was not begun, a device that was not open. Such messages name the called function
/// (`QBasicTimer::stop: ...`) and can be emitted on any thread. A single include per test program
/// covers all of its tests.

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <QString>

namespace lacuna::ui {

class QtMisuse final : public ::testing::Environment {
  public:
    void SetUp() override { s_before = qInstallMessageHandler(listen); }
    void TearDown() override { qInstallMessageHandler(s_before); }

  private:
    static void listen(QtMsgType type, const QMessageLogContext& context, const QString& text) {
        static const QRegularExpression called(QStringLiteral("^Q\\w+::\\w+"));
        if (type != QtDebugMsg && type != QtInfoMsg && called.match(text).hasMatch())
            ADD_FAILURE() << "Qt was used wrongly: " << text.toStdString();
        if (s_before != nullptr) s_before(type, context, text);
    }
    static inline QtMessageHandler s_before = nullptr;
};

inline const ::testing::Environment* const kQtMisuse =
    ::testing::AddGlobalTestEnvironment(new QtMisuse);

}  // namespace lacuna::ui
