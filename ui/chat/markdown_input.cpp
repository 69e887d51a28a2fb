#include "ui/chat/markdown_input.h"

#include <QCoreApplication>
#include <functional>

#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

struct MarkdownTexts {
    Q_DECLARE_TR_FUNCTIONS(Messages)
};

/// Characters of an image's address; data addresses contain the whole image.
constexpr qsizetype kMaxAddress = 120;

}  // namespace

MarkdownInput::MarkdownInput(const MarkdownSource& source)
    : m_source(source), m_bytes(source.markdown().toUtf8()) {}

MD_PARSER MarkdownInput::options() {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_NOHTML | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEAUTOLINKS |
                   MD_FLAG_TABLES | MD_FLAG_TASKLISTS;
    return parser;
}

MarkdownInput::Part MarkdownInput::part(const MD_CHAR* text, MD_SIZE size) const {
    const QString read = QString::fromUtf8(text, static_cast<qsizetype>(size));
    const std::less<> before;
    const char* const begin = m_bytes.constData();
    if (before(text, begin) || !before(text, begin + m_bytes.size())) return {read, -1};
    const qsizetype index = m_source.indexInText(unitAt(text - begin));
    if (index < 0) return {read, -1};
    return {m_source.text().mid(index, read.size()), index};
}

/// Converts a UTF-8 index to a UTF-16 index. Reported indices ascend, so this is linear in total.
qsizetype MarkdownInput::unitAt(qsizetype byte) const {
    if (byte < m_byte) m_byte = m_unit = 0;
    for (; m_byte < byte; ++m_byte) {
        const auto code = static_cast<unsigned char>(m_bytes.at(m_byte));
        if ((code & 0xC0U) != 0x80U) m_unit += code >= 0xF0U ? 2 : 1;
    }
    return m_unit;
}

QString unescaped(const QString& entity) {
    if (entity == QLatin1String("&amp;")) return QStringLiteral("&");
    if (entity == QLatin1String("&lt;")) return QStringLiteral("<");
    if (entity == QLatin1String("&gt;")) return QStringLiteral(">");
    if (entity == QLatin1String("&quot;")) return QStringLiteral("\"");
    return entity;
}

QString imageText(const QString& address) {
    return QStringLiteral(" [") +
           MarkdownTexts::tr("image not loaded: %1").arg(oneLine(address, kMaxAddress)) +
           QLatin1Char(']');
}

}  // namespace lacuna::ui
