#pragma once
/// \file
/// The text of a PDF, page after page, as it is read. Any thread; one call at a time.

#include <QByteArray>
#include <QString>
#include <functional>

namespace lacuna::app {

struct PdfText {
    QString text;
    int pages = 0;
    int pictures = 0;  ///< pages without any text: scans, drawings
    QString problem;   ///< why there is no text, a sentence; empty: there is
};

/// `name` is what the sentences call it. No more than `mostLetters` are taken. `cancelled` is asked
/// between pages; the text is that of the pages before then.
[[nodiscard]] PdfText textOfPdf(const QByteArray& bytes, const QString& name, qsizetype mostLetters,
                                const std::function<bool()>& cancelled = {});

}  // namespace lacuna::app
