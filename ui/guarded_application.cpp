#include "ui/guarded_application.h"

#include <cstdio>
#include <exception>
#include <new>

namespace lacuna::ui {

bool GuardedApplication::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::bad_alloc&) {
        tell(tr("There was not enough memory for that. Nothing that was saved is lost."));
    } catch (const std::exception& problem) {
        tell(tr("That did not work: %1").arg(QString::fromUtf8(problem.what())));
    } catch (...) {
        tell(tr("That did not work."));
    }
    return false;
}

void GuardedApplication::tell(const QString& sentence) noexcept {
    try {
        if (m_failure) return m_failure(sentence);
        std::fprintf(stderr, "lacuna: %s\n", qPrintable(sentence));
    } catch (...) {  // the sentence is lost, the window is not
    }
}

}  // namespace lacuna::ui
