#pragma once
/// \file
/// The text of a PDF, page after page, as it is read. The file is read in a child process with
/// limits (the program itself with a hidden command), because a hostile one makes the reader
/// compute without end, take all memory or crash. Any thread; blocks until the child has ended.

#include <QByteArray>
#include <QString>
#include <functional>

namespace lacuna::app {

enum class PdfEnd {
    Text,
    NoText,     ///< pictures only, as of a scan
    Damaged,    ///< or no PDF
    Encrypted,  ///< opens with a password only
    TooLong,    ///< more text than was allowed
    Limit,      ///< of computing, memory or time; the problem names it
    Cancelled,
    Crashed,
    NotStarted,  ///< no child process can be made
};

struct PdfText {
    QString text;
    int pages = 0;
    int pictures = 0;  ///< pages without any text: scans, drawings
    QString problem;   ///< why there is no text, a sentence; empty: there is
    PdfEnd end = PdfEnd::Text;
};

struct PdfLimits {
    int wallMs = 30'000;   ///< from the start of the child to its end
    QString program = {};  ///< that has the hidden command; empty: this one
};

/// `name` is what the sentences call it. No more than `mostLetters` are taken. `cancelled` is asked
/// every few milliseconds; true kills the child at once.
[[nodiscard]] PdfText textOfPdf(const QByteArray& bytes, const QString& name, qsizetype mostLetters,
                                const std::function<bool()>& cancelled = {},
                                const PdfLimits& limits = {});

}  // namespace lacuna::app
