#pragma once
/// \file
/// Lays out the HTML report as a Qt text document, for a screen and for paper (A4, pictures as wide
/// as the page, page numbers). Pure functions; any thread, but a QGuiApplication is required for
/// the fonts.

#include <QByteArray>
#include <QString>
#include <memory>

class QTextDocument;
class QThread;

namespace lacuna::ui {

/// Lays the report out for a screen `width` pixels wide on the calling thread, with pictures no
/// wider than displayed, and moves the document to `shownOn`. It uses fonts of the calling thread,
/// which must outlive it.
[[nodiscard]] std::unique_ptr<QTextDocument> reportPreview(const QString& html, int width,
                                                           QThread* shownOn);
/// PDF of the report; empty if writing failed.
[[nodiscard]] QByteArray reportPdf(const QString& html);

}  // namespace lacuna::ui
