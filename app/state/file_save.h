#pragma once
/// \file
/// Small files written from the window: the whole content or the old file, never something between.

#include <QByteArray>
#include <QString>

namespace lacuna::app {

/// Replaces `path` by `bytes`. An empty text when it is written, otherwise a sentence saying why
/// not. Meant for pictures and tables of a few MiB; runs on the calling thread.
[[nodiscard]] QString saveFile(const QString& path, const QByteArray& bytes);

}  // namespace lacuna::app
