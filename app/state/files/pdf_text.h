#pragma once
/// \file
/// Extracts the text of a PDF page by page. The file is parsed in a child process with limits (this
/// program with a hidden command), because a malicious file can make the parser loop forever,
/// exhaust memory or crash. Any thread; blocks until the child has ended.

#include <QByteArray>
#include <QString>
#include <functional>

namespace lacuna::app {

enum class PdfEnd {
    Text,
    NoText,     ///< images only, such as a scan
    Damaged,    ///< damaged, or not a PDF
    Encrypted,  ///< requires a password
    TooLong,    ///< text exceeds the maximum length
    Limit,      ///< limit of CPU, memory or wall-clock time exceeded, as named by the problem
    Cancelled,
    Crashed,
    NotStarted,  ///< the child process could not be started
};

struct PdfText {
    QString text;
    int pages = 0;
    int pictures = 0;  ///< pages without text, such as scans and drawings
    QString problem;   ///< error message if there is no text; otherwise empty
    PdfEnd end = PdfEnd::Text;
};

struct PdfLimits {
    int wallMs = 30'000;   ///< limit from start to end of the child
    QString program = {};  ///< executable with the hidden command; empty for this one
};

/// `name` is used in messages. At most `mostLetters` characters are accepted. `cancelled` is polled
/// every few milliseconds; if it returns true, the child is killed immediately.
[[nodiscard]] PdfText textOfPdf(const QByteArray& bytes, const QString& name, qsizetype mostLetters,
                                const std::function<bool()>& cancelled = {},
                                const PdfLimits& limits = {});

}  // namespace lacuna::app
