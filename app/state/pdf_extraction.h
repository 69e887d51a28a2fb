#pragma once
/// \file
/// The text of a PDF by Poppler. A hostile file can make Poppler compute without end, take all
/// memory or crash, so that the program runs this in a child process with limits (pdf_text.h).

#include <QByteArray>
#include <QString>
#include <optional>

namespace lacuna::app {

/// First argument of the hidden command that reads a PDF from standard input; the second one is the
/// most characters of text.
inline constexpr const char* kPdfCommand = "--pdf-text";
inline constexpr int kPdfSeconds = 15;                 ///< of computing
inline constexpr qint64 kPdfMemory = qint64{1} << 30;  ///< bytes beyond the program itself
inline constexpr int kPdfMemoryStatus = 71;            ///< exit status: out of memory

enum class PdfKind { Text, NoText, Damaged, Encrypted, TooLong };

struct PdfExtraction {
    PdfKind kind = PdfKind::Damaged;
    int pages = 0;
    int pictures = 0;  ///< pages without any text: scans, drawings
    QString text;
};

/// Without limits of time and memory.
[[nodiscard]] PdfExtraction extractPdf(const QByteArray& bytes, qsizetype mostLetters);

/// What the child writes, and what the parent reads of it; nothing where it is not complete.
[[nodiscard]] QByteArray pdfMessage(const PdfExtraction& extraction);
[[nodiscard]] std::optional<PdfExtraction> pdfExtractionFrom(const QByteArray& message);

/// The hidden command: sets the limits of this process, reads a PDF from standard input and writes
/// its pdfMessage(). Gives the exit status.
[[nodiscard]] int runPdfCommand(int argc, char** argv);

}  // namespace lacuna::app
