#pragma once
/// \file
/// What the engine says, in the language of the window. The engine knows no languages: names of
/// settings, reasons and errors come from it as English values. Their texts stand in
/// resources/translations/engine_texts.txt, with %1, %2 where a value goes in, and in the context
/// "Engine" of the catalogues. A sentence is found there whole, or by the text it was made from;
/// what went into it is looked up likewise. What stands nowhere stays English.

#include <QByteArray>
#include <QString>
#include <string_view>

namespace lacuna::app {

/// Takes the texts from now on, one a line; none: everything stays English. Called by the GUI
/// thread before any other is started; the catalogue is that of the QTranslators installed.
void setEngineTexts(const QByteArray& list);

/// Any thread.
[[nodiscard]] QString engineText(const QString& english);
[[nodiscard]] QString engineText(std::string_view english);

/// Settings called by their labels where a sentence has their keys, "“AM ratio”" for am_ratio; what
/// is meant for a command line (key=value, `key`) stays.
[[nodiscard]] QString keysInWords(QString sentence);

/// As a sentence of the window: a capital first, a full stop last, thousands of whole numbers
/// parted.
[[nodiscard]] QString asSentence(QString text);

}  // namespace lacuna::app
