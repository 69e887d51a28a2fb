#include "app/state/list_text.h"

#include <QCoreApplication>

namespace lacuna::app {

namespace {

struct Signs {
    Q_DECLARE_TR_FUNCTIONS(ListText)
};

}  // namespace

QString listed(const QStringList& parts) {
    return parts.join(Signs::tr(", "));
}

QString clauses(const QStringList& parts) {
    return parts.join(Signs::tr("; "));
}

QString titled(const QString& title, const QString& text) {
    return title + Signs::tr(": ") + text;
}

}  // namespace lacuna::app
