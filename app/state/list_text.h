#pragma once
/// \file
/// Joins texts with the punctuation of the window's language: "a, b" is "a，b" in Chinese. Pure
/// functions.

#include <QString>
#include <QStringList>

namespace lacuna::app {

/// Joins list items: "a, b".
[[nodiscard]] QString listed(const QStringList& parts);
/// Joins clauses that contain commas: "a; b".
[[nodiscard]] QString clauses(const QStringList& parts);
/// Joins a title and a text: "title: text".
[[nodiscard]] QString titled(const QString& title, const QString& text);

}  // namespace lacuna::app
