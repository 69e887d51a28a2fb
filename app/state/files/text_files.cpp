#include "app/state/files/text_files.h"

#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>
#include <utility>

#include "app/state/files/pdf_text.h"
#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

/// Detects the encoding by the byte order mark; UTF-8 without one.
QStringDecoder::Encoding encodingOf(const QByteArray& bytes) {
    return QStringConverter::encodingForData(bytes).value_or(QStringConverter::Utf8);
}

/// The extracted text may be much shorter than the file and has its own limit.
TextFile pdfFile(const QString& name, const QByteArray& bytes,
                 const std::function<bool()>& cancelled) {
    PdfText pdf = textOfPdf(bytes, name, TextFiles::kMaxBytes / 2, cancelled);
    if (!pdf.problem.isEmpty()) return {{}, pdf.problem, {}};
    if (pdf.pictures == 0) return {std::move(pdf.text), {}, {}};
    return {std::move(pdf.text),
            {},
            TextFiles::tr("%1 of the %2 pages of %3 are pictures without text and were skipped.")
                .arg(countText(pdf.pictures), countText(pdf.pages), name)};
}

}  // namespace

TextFile readTextFile(const QString& path, const std::function<bool()>& cancelled) {
    const QFileInfo info(path);
    const QString name = info.fileName();
    if (!info.exists()) return {{}, TextFiles::tr("%1 does not exist.").arg(path), {}};
    if (!info.isFile()) return {{}, TextFiles::tr("%1 is not a file.").arg(path), {}};
    if (info.size() > TextFiles::kMaxBytes)
        return {{},
                TextFiles::tr("%1 has %2; a file of at most %3 can be attached.")
                    .arg(name, bytesText(info.size()), bytesText(TextFiles::kMaxBytes)),
                {}};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {{}, TextFiles::tr("%1 cannot be read: %2").arg(name, file.errorString()), {}};
    const QByteArray bytes = file.read(TextFiles::kMaxBytes);
    if (bytes.startsWith("%PDF-")) return pdfFile(name, bytes, cancelled);
    QStringDecoder decoder(encodingOf(bytes));
    QString text = decoder.decode(bytes);
    if (decoder.hasError() || text.contains(QChar(QChar::Null)))
        return {{}, TextFiles::tr("%1 is not UTF-8 or UTF-16 text.").arg(name), {}};
    if (text.trimmed().isEmpty()) return {{}, TextFiles::tr("%1 is empty.").arg(name), {}};
    return {std::move(text), {}, {}};
}

TextFiles::TextFiles(QObject* parent)
    : QObject(parent), m_thread([this](const Error& error) {
          QMetaObject::invokeMethod(
              this, [this, what = QString::fromStdString(error.what)] { Q_EMIT refused(what); },
              Qt::QueuedConnection);
      }) {}

TextFiles::~TextFiles() {
    m_ending = true;  // Kills the process that reads a PDF.
}

void TextFiles::read(const QStringList& paths) {
    for (const QString& path : paths) {
        m_thread.start([this, path] {
            TextFile file = readTextFile(path, [this] { return m_ending.load(); });
            QMetaObject::invokeMethod(
                this,
                [this, name = QFileInfo(path).fileName(), file = std::move(file)] {
                    if (file.problem.isEmpty())
                        Q_EMIT arrived(name, file.text);
                    else
                        Q_EMIT refused(file.problem);
                    if (!file.note.isEmpty()) Q_EMIT noted(file.note);
                },
                Qt::QueuedConnection);
        });
    }
}

}  // namespace lacuna::app
