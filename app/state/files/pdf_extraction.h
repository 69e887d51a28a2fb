#pragma once
/// \file
/// Extracts the text of a PDF with Poppler. A malicious file can make Poppler loop forever, exhaust
/// memory or crash, so the program runs this in a child process with limits (pdf_text.h).

#include <QByteArray>
#include <QString>
#include <optional>

namespace lacuna::app {

/// First argument of the hidden command that reads a PDF from standard input. The second one is the
/// maximum number of characters.
inline constexpr const char* kPdfCommand = "--pdf-text";
inline constexpr int kPdfSeconds = 15;                 ///< CPU time limit
inline constexpr qint64 kPdfMemory = qint64{1} << 30;  ///< bytes beyond the size of the program
                                                       ///< itself
inline constexpr int kPdfMemoryStatus = 71;            ///< exit status: out of memory

enum class PdfKind { Text, NoText, Damaged, Encrypted, TooLong };

struct PdfExtraction {
    PdfKind kind = PdfKind::Damaged;
    int pages = 0;
    int pictures = 0;  ///< pages without text, such as scans and drawings
    QString text;
};

/// Extracts the text without limits of time or memory.
[[nodiscard]] PdfExtraction extractPdf(const QByteArray& bytes, qsizetype mostLetters);

/// Serialises the result for the pipe from child to parent; the reader returns nullopt if the
/// message is incomplete.
[[nodiscard]] QByteArray pdfMessage(const PdfExtraction& extraction);
[[nodiscard]] std::optional<PdfExtraction> pdfExtractionFrom(const QByteArray& message);

/// Implements the hidden command: limits this process, reads a PDF from standard input and writes
/// its pdfMessage(). Returns the exit status.
[[nodiscard]] int runPdfCommand(int argc, char** argv);

}  // namespace lacuna::app
