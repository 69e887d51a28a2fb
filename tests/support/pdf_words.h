#pragma once
/// \file
/// Minimal PDF reader for tests: pages and their words. Supports only the output of QPdfWriter (ISO
/// 32000-1: 7.3 objects, 9.10 text by ToUnicode maps).

#include <QByteArray>
#include <QHash>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <QtEndian>
#include <cmath>

namespace lacuna::test {

class PdfWords {
  public:
    explicit PdfWords(const QByteArray& file) {
        static const QRegularExpression object(
            QStringLiteral("(?:^|\\n)(\\d+) 0 obj\\n(.*?)\\nendobj"),
            QRegularExpression::DotMatchesEverythingOption);
        // Latin-1 maps every byte to one character.
        auto found = object.globalMatch(QString::fromLatin1(file));
        while (found.hasNext()) {
            const auto match = found.next();
            m_objects.insert(match.captured(1).toInt(), match.captured(2).toLatin1());
        }
        for (auto one = m_objects.begin(); one != m_objects.end(); ++one)
            if (QRegularExpression(QStringLiteral("/Type */Page\\b(?!s)"))
                    .match(QString::fromLatin1(one.value()))
                    .hasMatch())
                m_pages << one.key();
        std::sort(m_pages.begin(), m_pages.end());
    }

    [[nodiscard]] int pages() const { return static_cast<int>(m_pages.size()); }

    /// Returns the words of a page in drawing order, without blanks.
    [[nodiscard]] QString page(int index) const {
        const auto match = QRegularExpression(QStringLiteral("/Contents (\\d+) 0 R"))
                               .match(QString::fromLatin1(m_objects.value(m_pages.value(index))));
        return textOf(QString::fromLatin1(stream(match.captured(1).toInt())));
    }
    [[nodiscard]] QString all() const {
        QString text;
        for (int i = 0; i < pages(); ++i) text += page(i);
        return text;
    }

    /// Returns height by width of each picture as drawn, in page order.
    [[nodiscard]] QList<double> pictureShapes() const {
        static const QString matrix =
            QStringLiteral("([-\\d.]+) [-\\d.]+ [-\\d.]+ ([-\\d.]+) [-\\d.]+ [-\\d.]+ cm\\s+");
        static const QRegularExpression drawn(matrix + matrix + QStringLiteral("/Im\\d+\\s+Do"));
        QList<double> shapes;
        for (const int page : m_pages) {
            const auto match = QRegularExpression(QStringLiteral("/Contents (\\d+) 0 R"))
                                   .match(QString::fromLatin1(m_objects.value(page)));
            auto all = drawn.globalMatch(QString::fromLatin1(stream(match.captured(1).toInt())));
            while (all.hasNext()) {
                const auto one = all.next();
                shapes << std::abs(one.captured(2).toDouble() * one.captured(4).toDouble() /
                                   (one.captured(1).toDouble() * one.captured(3).toDouble()));
            }
        }
        return shapes;
    }

  private:
    [[nodiscard]] QByteArray stream(int number) const {
        const QByteArray object = m_objects.value(number);
        const auto begin = object.indexOf("stream\n");
        const auto end = object.lastIndexOf("\nendstream");
        if (begin < 0 || end < begin) return {};
        const QByteArray bytes = object.mid(begin + 7, end - begin - 7);
        if (!object.left(begin).contains("/FlateDecode")) return bytes;
        constexpr quint32 kRoom = 1 << 22;  // qUncompress expects an estimate of the length in
                                            // front
        QByteArray guess(4, '\0');
        qToBigEndian(kRoom, guess.data());
        return qUncompress(guess + bytes);
    }

    [[nodiscard]] QHash<uint, QString> unicodeOf(int font) const {
        QHash<uint, QString> map;
        const auto match = QRegularExpression(QStringLiteral("/ToUnicode (\\d+) 0 R"))
                               .match(QString::fromLatin1(m_objects.value(font)));
        const QString cmap = QString::fromLatin1(stream(match.captured(1).toInt()));
        static const QRegularExpression range(QStringLiteral(
            "<([0-9a-fA-F]{4})> *<([0-9a-fA-F]{4})> *(?:<([0-9a-fA-F]+)>|\\[([^\\]]*)\\])"));
        auto lines = range.globalMatch(cmap.section(QStringLiteral("endcodespacerange"), 1));
        while (lines.hasNext()) {
            const auto line = lines.next();
            const uint from = line.captured(1).toUInt(nullptr, 16);
            const uint to = line.captured(2).toUInt(nullptr, 16);
            const QStringList each = line.captured(4).split(
                QRegularExpression(QStringLiteral("[<> ]+")), Qt::SkipEmptyParts);
            for (uint glyph = from; glyph <= to; ++glyph) {
                const auto place = static_cast<qsizetype>(glyph - from);
                const uint sign = each.isEmpty()
                                      ? line.captured(3).toUInt(nullptr, 16) + glyph - from
                                      : each.value(place).toUInt(nullptr, 16);
                map.insert(glyph, QString(QChar(static_cast<ushort>(sign))));
            }
        }
        return map;
    }

    [[nodiscard]] QString textOf(const QString& content) const {
        static const QRegularExpression part(
            QStringLiteral("/F(\\d+) [-\\d.]+ Tf|<([0-9a-fA-F]+)>"));
        QString text;
        QHash<uint, QString> font;
        auto parts = part.globalMatch(content);
        while (parts.hasNext()) {
            const auto match = parts.next();
            if (!match.captured(1).isEmpty()) font = unicodeOf(match.captured(1).toInt());
            const QString hex = match.captured(2);
            for (qsizetype at = 0; at + 4 <= hex.size(); at += 4)
                text += font.value(hex.mid(at, 4).toUInt(nullptr, 16));
        }
        // Some blanks are drawn as a glyph together with tabs; most are not drawn.
        text.removeIf([](QChar sign) { return sign.isSpace(); });
        return text;
    }

    QHash<int, QByteArray> m_objects;
    QList<int> m_pages;
};

}  // namespace lacuna::test
