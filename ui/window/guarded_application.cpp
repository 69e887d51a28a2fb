#include "ui/window/guarded_application.h"

#include <QMessageLogContext>
#include <QStringList>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "ui/window/window_program.h"

namespace lacuna::ui {

namespace {

QStringList& held() {
    static QStringList warnings;
    return warnings;
}

void listen(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type != QtFatalMsg) {
        held() << text;
        return;
    }
    // One of Qt's warnings names the display; the rest explains Qt's own plugins.
    const QStringList about = held().filter(QStringLiteral("display"), Qt::CaseInsensitive);
    const QString why = about.isEmpty() ? text.section(QLatin1Char('\n'), 0, 0) : about.front();
    std::fprintf(stderr,
                 "lacuna: UNSUPPORTED: no display is available: %s; `lacuna --help` lists the "
                 "commands that work without one\n",
                 qPrintable(why.trimmed()));
    std::_Exit(kNoDisplay);
}

}  // namespace

namespace {

std::atomic<QtMessageHandler> s_unfiltered{nullptr};

void passOn(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (text.startsWith(QLatin1String("This plugin does not support "))) return;
    if (const QtMessageHandler next = s_unfiltered) next(type, context, text);
}

}  // namespace

PlatformMessageFilter::PlatformMessageFilter() {
    s_unfiltered = qInstallMessageHandler(passOn);
}

PlatformMessageFilter::~PlatformMessageFilter() {
    qInstallMessageHandler(s_unfiltered);
}

DisplayCheck::DisplayCheck() : m_before(qInstallMessageHandler(listen)) {
    held().clear();
}

void DisplayCheck::passed() {
    if (!std::exchange(m_open, false)) return;
    qInstallMessageHandler(m_before);
    for (const QString& warning : held()) qWarning("%s", qPrintable(warning));
    held().clear();
}

bool GuardedApplication::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::bad_alloc&) {
        showMessage(tr("Not enough memory for this action. Saved data is not affected."));
    } catch (const std::exception& problem) {
        showMessage(tr("The action failed: %1").arg(QString::fromUtf8(problem.what())));
    } catch (...) {
        showMessage(tr("The action failed."));
    }
    return false;
}

void GuardedApplication::showMessage(const QString& sentence) noexcept {
    try {
        if (m_failure) return m_failure(sentence);
        std::fprintf(stderr, "lacuna: %s\n", qPrintable(sentence));
    } catch (...) {  // the sentence is lost, but the window survives
    }
}

}  // namespace lacuna::ui
