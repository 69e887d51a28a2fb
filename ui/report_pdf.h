#pragma once
/// \file
/// The report for paper, made from the same document as the page for browsers: A4, pictures as wide
/// as the page, page numbers. Pure functions; any thread, as long as there is a QGuiApplication for
/// the fonts.

#include <QByteArray>
#include <QString>
#include <memory>

class QTextDocument;

namespace lacuna::ui {

/// Whole: as many pixels as there are, for paper. Fitted: as many as are shown, for a screen, which
/// would skip pixels else.
enum class PagePictures { Whole, Fitted };

/// The page for browsers as Qt's text documents lay it out, `width` pixels of them for pictures.
[[nodiscard]] std::unique_ptr<QTextDocument> reportDocument(
    const QString& html, int width, PagePictures pictures = PagePictures::Whole);
/// As PDF. Empty: it could not be written.
[[nodiscard]] QByteArray reportPdf(const QString& html);

}  // namespace lacuna::ui
