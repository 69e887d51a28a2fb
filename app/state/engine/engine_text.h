#pragma once
/// \file
/// Translates texts of the engine, which are always English: names of settings, reasons and errors.
/// The known texts are listed in resources/translations/engine_texts.txt, with %1, %2 for values,
/// and translated in the context "Engine". A text is matched literally or by such a pattern; the
/// values in it are translated the same way. Unknown texts stay English.

#include <QByteArray>
#include <QString>
#include <string_view>

namespace lacuna::app {

/// Sets the list of texts, one per line; with an empty list everything stays English. The
/// translation comes from the installed QTranslators. @pre called on the GUI thread before any
/// other thread is started
void setEngineTexts(const QByteArray& list);

/// Any thread.
[[nodiscard]] QString engineText(const QString& english);
[[nodiscard]] QString engineText(std::string_view english);

/// Replaces setting keys in a sentence by quoted labels, “AM ratio” for am_ratio. Command-line
/// syntax (key=value, `key`) is left unchanged.
[[nodiscard]] QString keysInWords(QString sentence);

/// Formats a text as a sentence: initial capital, final full stop, thousands separators in whole
/// numbers.
[[nodiscard]] QString asSentence(QString text);

}  // namespace lacuna::app
