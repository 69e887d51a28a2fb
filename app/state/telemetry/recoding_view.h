#pragma once
/// \file
/// Progress of converting a cache to another number format. Rows are recoded between steps; the old
/// format stays in use until all are done.

#include <QString>
#include <QVector>
#include <utility>

namespace lacuna::app {

struct RecodingView {
    qint64 conversation = 0;
    QString from, to;  ///< "f16", "t4", or "t4/t2" where keys and values differ
    double share = 0;  ///< share (0..1) of the rows
    bool ended = false;
    bool problem = false;  ///< true if it failed and the cache is unchanged
    QString outcome = {};  ///< result as a sentence
    /// Settings that restore `from` and thereby cancel the conversion; empty if it cannot be
    /// cancelled.
    QVector<std::pair<QString, QString>> back = {};
};

}  // namespace lacuna::app
