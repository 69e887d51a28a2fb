#pragma once
/// \file
/// The page for browsers as Qt's text documents lay it out: on a screen, and for paper (A4,
/// pictures as wide as the page, page numbers). Pure functions; any thread, as long as there is a
/// QGuiApplication for the fonts.

#include <QByteArray>
#include <QString>
#include <memory>

class QTextDocument;
class QThread;

namespace lacuna::ui {

/// The page for browsers on a screen, `width` pixels of it: laid out whole on this thread, pictures
/// no wider than it shows them, and given to `shownOn`. The page uses fonts of this thread, which
/// must not end before it.
[[nodiscard]] std::unique_ptr<QTextDocument> reportPreview(const QString& html, int width,
                                                           QThread* shownOn);
/// As PDF. Empty: it could not be written.
[[nodiscard]] QByteArray reportPdf(const QString& html);

}  // namespace lacuna::ui
