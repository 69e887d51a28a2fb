#pragma once
/// \file
/// The number format of a cache on its way to another one, as a row: rows are coded again between
/// steps, and until the end the cache is what it was.

#include <QString>
#include <QVector>
#include <utility>

namespace lacuna::app {

struct RecodingView {
    qint64 conversation = 0;
    QString from, to;  ///< "f16", "t4", or "t4/t2" where keys and values differ
    double share = 0;  ///< of the rows, 0..1
    bool ended = false;
    bool problem = false;  ///< it ended, and the cache stays as it was for want of something
    QString outcome = {};  ///< how it ended, a sentence
    /// Settings that mean `from`: with them it is cancelled. Empty: it cannot be.
    QVector<std::pair<QString, QString>> back = {};
};

}  // namespace lacuna::app
