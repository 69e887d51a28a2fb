#pragma once
/// \file
/// Facts put side by side, with the signs of the window's language: "a, b" is "a，b" in Chinese.
/// Pure functions.

#include <QString>
#include <QStringList>

namespace lacuna::app {

/// "a, b".
[[nodiscard]] QString listed(const QStringList& parts);
/// "a; b": clauses that have commas of their own.
[[nodiscard]] QString clauses(const QStringList& parts);
/// "title: text".
[[nodiscard]] QString titled(const QString& title, const QString& text);

}  // namespace lacuna::app
