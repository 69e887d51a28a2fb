#include "app/state/text_files.h"

#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>
#include <utility>

#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

/// By the mark at its beginning; UTF-8 without one.
QStringDecoder::Encoding encodingOf(const QByteArray& bytes) {
    return QStringConverter::encodingForData(bytes).value_or(QStringConverter::Utf8);
}

QString whyNotText(const QString& name, const QByteArray& bytes) {
    if (bytes.startsWith("%PDF-"))
        return TextFiles::tr(
                   "%1 is a PDF, which is not read. Save its text to a file first, for example "
                   "with pdftotext.")
            .arg(name);
    return TextFiles::tr("%1 is not a text in UTF-8 or UTF-16.").arg(name);
}

}  // namespace

TextFile readTextFile(const QString& path) {
    const QFileInfo info(path);
    const QString name = info.fileName();
    if (!info.exists()) return {{}, TextFiles::tr("There is no file %1.").arg(path)};
    if (!info.isFile()) return {{}, TextFiles::tr("%1 is not a file.").arg(path)};
    if (info.size() > TextFiles::kMaxBytes)
        return {{},
                TextFiles::tr("%1 has %2; a file of at most %3 can be attached.")
                    .arg(name, bytesText(info.size()), bytesText(TextFiles::kMaxBytes))};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {{}, TextFiles::tr("%1 cannot be read: %2").arg(name, file.errorString())};
    const QByteArray bytes = file.read(TextFiles::kMaxBytes);
    QStringDecoder decoder(encodingOf(bytes));
    QString text = decoder.decode(bytes);
    if (decoder.hasError() || text.contains(QChar(QChar::Null)))
        return {{}, whyNotText(name, bytes)};
    if (text.trimmed().isEmpty()) return {{}, TextFiles::tr("%1 is empty.").arg(name)};
    return {std::move(text), {}};
}

TextFiles::TextFiles(QObject* parent)
    : QObject(parent), m_thread([this](const Error& error) {
          QMetaObject::invokeMethod(
              this, [this, what = QString::fromStdString(error.what)] { Q_EMIT refused(what); },
              Qt::QueuedConnection);
      }) {}

TextFiles::~TextFiles() = default;

void TextFiles::read(const QStringList& paths) {
    for (const QString& path : paths) {
        m_thread.start([this, path] {
            TextFile file = readTextFile(path);
            QMetaObject::invokeMethod(
                this,
                [this, name = QFileInfo(path).fileName(), file = std::move(file)] {
                    if (file.problem.isEmpty())
                        Q_EMIT arrived(name, file.text);
                    else
                        Q_EMIT refused(file.problem);
                },
                Qt::QueuedConnection);
        });
    }
}

}  // namespace lacuna::app
