#include "app/state/file_save.h"

#include <QFile>

#include "engine/base/file.h"

namespace lacuna::app {

QString saveFile(const QString& path, const QByteArray& bytes) {
    const Status written = writeFileAtomically(
        QFile::encodeName(path).toStdString(),
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    return written ? QString() : QString::fromStdString(written.error().what);
}

}  // namespace lacuna::app
