#pragma once
/// \file
/// What can still be read of a damaged store, row by row. Blocks; one thread.

#include <QString>

#include "app/state/sqlite_file.h"

namespace lacuna::app {

struct Salvaged {
    qint64 conversations = 0;
    qint64 messages = 0;
    qint64 lost = 0;  ///< messages that are known to be missing; there may be more
};

/// Copies every row of `damaged` that SQLite can read into `into`, an empty store of the schema in
/// force. `damaged` is not changed. Lines keep their order and their checksums; where some are
/// missing the others close up. A conversation whose own row is lost is named after its first
/// question. Errors: those of writing `into`; what cannot be read is none.
[[nodiscard]] Result<Salvaged> salvageConversations(const QString& damaged, SqliteFile& into);

}  // namespace lacuna::app
