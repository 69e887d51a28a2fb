<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Charts</name>
    <message>
        <source>Generation %1: %2</source>
        <translation>设置版本 %1：%2</translation>
    </message>
    <message>
        <source>Change %1 rejected: %2</source>
        <translation>更改 %1 被拒绝：%2</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>%1 分钟前</translation>
    </message>
    <message>
        <source>Nothing has run yet. Compactions appear here once a prompt passes the trigger.</source>
        <translation>尚未运行。提示词超过触发阈值后，压缩会显示在这里。</translation>
    </message>
    <message>
        <source>No compaction: compression is off.</source>
        <translation>没有压缩：压缩已关闭。</translation>
    </message>
    <message>
        <source>A compaction is due at the next step.</source>
        <translation>下一步将进行压缩。</translation>
    </message>
    <message>
        <source>First compaction above %1 slots a head, %2 to go.</source>
        <translation>每头超过 %1 个槽位时首次压缩，还差 %2。</translation>
    </message>
    <message>
        <source>%1 does not report this.</source>
        <translation>%1 不报告此项。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Tokens processed</source>
        <translation>已处理词元</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>compactions</source>
        <translation>压缩次数</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>nothing here</source>
        <translation>此处无数据</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>First token of answer %1 after %2</source>
        <translation>回答 %1 的首个词元用时 %2</translation>
    </message>
    <message>
        <source>codes %1, scales %2, 16-bit window %3</source>
        <translation>编码 %1，缩放 %2，16 位窗口 %3</translation>
    </message>
    <message>
        <source>Nothing to measure: no token was evicted yet.</source>
        <translation>无可测量：尚未驱逐任何词元。</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>In use: share of the cache that holds something, as the engine reports it.</source>
        <translation>使用中：引擎报告的缓存中有内容部分的占比。</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>of the cache in use</source>
        <translation>的缓存使用中</translation>
    </message>
    <message>
        <source>KV cache, %1: %2 in use.</source>
        <translation>KV 缓存，%1：使用中 %2。</translation>
    </message>
    <message>
        <source>%1 being written</source>
        <translation>%1 个正在生成</translation>
    </message>
    <message>
        <source>%1 waiting</source>
        <translation>%1 个等待中</translation>
    </message>
    <message>
        <source>Bytes of keys and values appear with the first step.</source>
        <translation>键和值的字节数在第一步后显示。</translation>
    </message>
    <message>
        <source>Logical: what an uncompressed cache of this type would hold. Live: slots in use; where rows are codes that is the rows in 16 bits of the newest and the first tokens, scales and biases that codes are read with, and codes, with what slots are numbered by. Allocated: buffers, slack included. Budget: bytes left after a compaction. Trigger: a compaction runs above it.</source>
        <translation>逻辑：同类型未压缩缓存的大小。占用：正在使用的槽位；行为编码时，包括最新和最前词元的 16 位行、读取编码所用的缩放和偏置、编码本身以及槽位编号。已分配：缓冲区，含余量。预算：压缩后剩余的字节数。触发：超过它就会压缩。</translation>
    </message>
    <message>
        <source>logical</source>
        <translation>逻辑</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>trigger</source>
        <translation>触发</translation>
    </message>
    <message>
        <source>budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>scales</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>16-bit window</source>
        <translation>16 位窗口</translation>
    </message>
    <message>
        <source>codes</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>live</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>%1 saved</source>
        <translation>节省 %1</translation>
    </message>
    <message>
        <source>KV cache, %1: %2 live, %3 allocated, %4 without compression, %5 saved.</source>
        <translation>KV 缓存，%1：占用 %2，已分配 %3，未压缩时 %4，节省 %5。</translation>
    </message>
    <message>
        <source> Live: %1.</source>
        <translation> 占用：%1。</translation>
    </message>
    <message>
        <source>Achieved ratio</source>
        <translation>实际压缩比</translation>
    </message>
    <message>
        <source>Tokens per slot and bytes saved appear with the first step.</source>
        <translation>每槽位词元数和节省的字节数在第一步后显示。</translation>
    </message>
    <message>
        <source>asked</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Achieved ratio, %1: %2 in bytes.</source>
        <translation>实际压缩比，%1：按字节 %2。</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>词元 %1</translation>
    </message>
    <message>
        <source>asked %1</source>
        <translation>要求 %1</translation>
    </message>
    <message>
        <source>%1 asked</source>
        <translation>要求 %1</translation>
    </message>
    <message>
        <source>none asked</source>
        <translation>未要求</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Tokens per second appear while a prompt is read or an answer is written.</source>
        <translation>读取提示词或生成回答时显示每秒词元数。</translation>
    </message>
    <message>
        <source>Decode: tokens of the answer per second, mean of one second, compactions included. Trend: the same smoothed over two seconds. Prefill: tokens of the prompt per second. Flags: time to the first token. Gaps are idle time. Logarithmic scale.</source>
        <translation>解码：回答每秒词元数，一秒均值，含压缩。趋势：同上，按两秒平滑。预填充：提示词每秒词元数。旗标：首词元时间。空白为空闲时间。对数刻度。</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>trend</source>
        <translation>趋势</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>first token %1</source>
        <translation>首词元 %1</translation>
    </message>
    <message>
        <source>Throughput, %1: decoding %2, reading prompts %3, %4.</source>
        <translation>吞吐量，%1：解码 %2，读取提示词 %3，%4。</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>no answer finished</source>
        <translation>没有完成的回答</translation>
    </message>
    <message>
        <source>first token after %1</source>
        <translation>首词元用时 %1</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>The compacted cache beside an uncompressed one, every so many tokens. KL: how far the chances of the next token moved, in nats. Differs: share of the newest 16 samples whose likeliest token is another. Error: relative error of the attention output of a few heads. Less is better; 0 is the uncompressed cache.</source>
        <translation>每隔若干词元将压缩后的缓存与未压缩的缓存比较。KL：下一词元概率的偏移，单位奈特。不同：最近 16 个样本中最可能词元不同的占比。误差：若干头注意力输出的相对误差。越小越好；0 即未压缩的缓存。</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
    <message>
        <source>KL</source>
        <translation>KL</translation>
    </message>
    <message>
        <source>KL %1</source>
        <translation>KL %1</translation>
    </message>
    <message>
        <source>top-1 same %1</source>
        <translation>首选相同 %1</translation>
    </message>
    <message>
        <source>costs %1 of the time</source>
        <translation>占用时间 %1</translation>
    </message>
    <message>
        <source>Quality, %1: KL %2 nats, the likeliest token is the same in %3 of the newest samples; measuring takes %4 of the time.</source>
        <translation>质量，%1：KL %2 奈特，最近样本中 %3 的最可能词元相同；测量占用 %4 的时间。</translation>
    </message>
    <message>
        <source>Prompt reuse</source>
        <translation>提示词复用</translation>
    </message>
    <message>
        <source>What a prompt need not read again appears with the first answer.</source>
        <translation>提示词中无需重新读取的部分在首个回答后显示。</translation>
    </message>
    <message>
        <source>reused</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>of the last prompt</source>
        <translation>（上个提示词）</translation>
    </message>
    <message>
        <source>Prompt reuse, %1: %2 of the last prompt was not read again.</source>
        <translation>提示词复用，%1：上个提示词有 %2 未重新读取。</translation>
    </message>
    <message>
        <source>Kept texts</source>
        <translation>保留的文本</translation>
    </message>
    <message>
        <source>Nothing is kept for other conversations that begin alike.</source>
        <translation>没有为开头相同的其他对话保留内容。</translation>
    </message>
    <message>
        <source>Bytes of what was read and is kept for conversations, branches and requests that begin alike. In memory, rows that a conversation holds as well are counted here too and take no second copy. Limits are set on the page Memory.</source>
        <translation>已读取并为开头相同的对话、分支和请求保留的字节数。内存中，对话自身也持有的行同样计入，但不占第二份。上限在“记忆”页设置。</translation>
    </message>
    <message>
        <source>on disk</source>
        <translation>磁盘上</translation>
    </message>
    <message>
        <source>in memory</source>
        <translation>内存中</translation>
    </message>
    <message>
        <source>%1 on disk</source>
        <translation>磁盘上 %1</translation>
    </message>
    <message>
        <source>Kept texts, %1: %2 in memory, %3 on disk.</source>
        <translation>保留的文本，%1：内存中 %2，磁盘上 %3。</translation>
    </message>
    <message>
        <source>p50 %1</source>
        <translation>p50 %1</translation>
    </message>
    <message>
        <source>p99 %1</source>
        <translation>p99 %1</translation>
    </message>
    <message>
        <source>manual</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>%1 (and %2 other reasons)</source>
        <translation>%1（及其他 %2 个原因）</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>score</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>select</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>fit</source>
        <translation>拟合</translation>
    </message>
    <message>
        <source>apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>停顿</translation>
    </message>
    <message>
        <source>Compaction pause</source>
        <translation>压缩停顿</translation>
    </message>
    <message>
        <source>No compaction in this window.</source>
        <translation>此窗口内没有压缩。</translation>
    </message>
    <message>
        <source>work up to %1</source>
        <translation>工作最长 %1</translation>
    </message>
    <message>
        <source>Compaction pause: %1 compactions, last %2, median %3, longest %4, %5 failed.</source>
        <translation>压缩停顿：%1 次压缩，最近 %2，中位数 %3，最长 %4，失败 %5 次。</translation>
    </message>
    <message>
        <source>Outcomes</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>%1 done</source>
        <translation>完成 %1</translation>
    </message>
    <message>
        <source>Latency by stage</source>
        <translation>各阶段延迟</translation>
    </message>
    <message>
        <source>p95 %1</source>
        <translation>p95 %1</translation>
    </message>
    <message>
        <source>pauses of %1</source>
        <translation>%1 次停顿</translation>
    </message>
    <message>
        <source>%1 %2 and %3</source>
        <translation>%1 %2 和 %3</translation>
    </message>
    <message>
        <source>Latency by stage: %1 compactions; median and p95 of %2.</source>
        <translation>各阶段延迟：%1 次压缩；中位数和 p95：%2。</translation>
    </message>
    <message>
        <source>median / p95</source>
        <translation>中位数 / p95</translation>
    </message>
    <message>
        <source>tallest bar: %1</source>
        <translation>最高柱：%1</translation>
    </message>
    <message>
        <source>Tokens brought back</source>
        <translation>取回的词元</translation>
    </message>
    <message>
        <source>Nothing was brought back yet: mark words that the retention overlay shows as forgotten, and choose Bring back.</source>
        <translation>尚未取回任何内容：请选中保留情况叠加中显示为已遗忘的词语，然后选择“取回”。</translation>
    </message>
    <message>
        <source>Tokens that compactions had forgotten and that were brought back, all of them so far; and how many of them no compaction forgets, as it was after the newest of them. Bytes are those of their rows in an uncompressed cache.</source>
        <translation>压缩曾遗忘、后被取回的词元总数；以及其中不会再被压缩遗忘的数量（截至最近一次取回）。字节数按未压缩缓存中的行计算。</translation>
    </message>
    <message>
        <source>brought back</source>
        <translation>取回</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>%1 kept, %2</source>
        <translation>保留 %1，%2</translation>
    </message>
    <message>
        <source>Tokens brought back, %1: %2 so far, of which %3 are kept, %4 of rows.</source>
        <translation>取回的词元，%1：共 %2，其中保留 %3，行占 %4。</translation>
    </message>
    <message>
        <source>Bytes: logical to live bytes of the whole cache. Tokens: tokens of the context for each slot, mean over all heads, whatever each has for itself; bytes differ from it where rows are codes. Asked: the ratio the settings asked for when a compaction ran. 1x means nothing is saved.</source>
        <translation>字节：整个缓存的逻辑字节与占用字节之比。词元：每个槽位对应的上下文词元数，取所有头的平均值，不论各头各有多少；行为编码时字节比与之不同。要求：压缩运行时设置所要求的压缩比。1x 表示没有节省。</translation>
    </message>
    <message>
        <source>Achieved ratio, %1: %2 in bytes, %3 in tokens a slot, %4.</source>
        <translation>实际压缩比，%1：按字节 %2，按每槽位词元 %3，%4。</translation>
    </message>
    <message>
        <source>Of the prompt of each answer, the share that was not read again: it stood in the conversation&apos;s own cache, or in what is kept of other texts that begin alike. 100 % is all of it but the last token.</source>
        <translation>每个回答的提示词中未重新读取的占比：它已在本对话的缓存中，或在开头相同的其他文本的保留内容中。100 % 表示除最后一个词元外全部。</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 词元/秒</translation>
    </message>
    <message>
        <source>Nothing in this window: it was idle.</source>
        <translation>此窗口内没有内容：处于空闲。</translation>
    </message>
    <message>
        <source>another cache from here on</source>
        <translation>从此处起是另一个缓存</translation>
    </message>
    <message>
        <source>This conversation has no cache now.</source>
        <translation>此对话现在没有缓存。</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>已限制</translation>
    </message>
    <message>
        <source>Attempts per bar: compactions done, limited (done with a smaller ratio than asked for, so that less is lost), failed, skipped, and cancelled; settings rejected. The crosshair tells why.</source>
        <translation>每个柱的尝试次数：压缩完成、已限制（以小于要求的压缩比完成，以减少损失）、失败、跳过、已取消；设置被拒绝。十字线显示原因。</translation>
    </message>
    <message>
        <source>Outcomes so far: %1 compactions done, %2 limited, %3 failed, %4 skipped, %5 cancelled, %6 settings rejected.</source>
        <translation>目前结果：压缩完成 %1 次，已限制 %2 次，失败 %3 次，跳过 %4 次，取消 %5 次，设置被拒绝 %6 次。</translation>
    </message>
    <message>
        <source>work %1</source>
        <translation>工作 %1</translation>
    </message>
    <message>
        <source>How long the conversation waited for each compaction. Circle: over budget. Square: asked for by hand. Diamond: after a change of settings. Triangle: the caches of all conversations together reached the cache limit. Cross: failed, the cache stayed as it was. Dash: all of its work, where part of it ran in the background. A click selects the row of the timeline.</source>
        <translation>对话为每次压缩等待的时间。圆：超出预算。方：手动要求。菱形：更改设置之后。三角：所有对话的缓存合计达到缓存上限。叉：失败，缓存保持原样。横线：其全部工作，若其中一部分在后台进行。单击选中时间线的行。</translation>
    </message>
    <message>
        <source>How many compactions of the window took how long in each stage, on a logarithmic scale. Score: how much each slot matters. Select: which stay. Fit: biases and values of those that stay. Apply: writing the cache. Work: all of it. Pause: what of it the conversation waited for. Solid line: median; dashed line: 95 of 100 are faster. All lanes have one scale of counts.</source>
        <translation>窗口内的压缩在各阶段所用时间的分布，对数刻度。评分：每个槽位有多重要。选择：保留哪些。拟合：保留者的偏置和值。应用：写入缓存。工作：全部。停顿：对话为其等待的部分。实线：中位数；虚线：100 次中有 95 次更快。所有通道共用一个计数刻度。</translation>
    </message>
    <message>
        <source>Measured in the pause after the next answer.</source>
        <translation>在下一个回答之后的空闲时测量。</translation>
    </message>
</context>
<context>
    <name>ChatMessages</name>
    <message>
        <source>Ended at the longest answer allowed. Raise &quot;Longest answer&quot; to get more.</source>
        <translation>已达到允许的最长回答。提高“最长回答”可得到更多。</translation>
    </message>
    <message>
        <source>Ended because the context is full. Let it go on without the older half (context shift), raise the context, or start a new conversation.</source>
        <translation>上下文已满，回答结束。可去掉较旧的一半继续（上下文移位）、增大上下文或开始新对话。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>The answer failed.</source>
        <translation>回答失败。</translation>
    </message>
    <message>
        <source>Shorten the question or raise the context.</source>
        <translation>请缩短问题或增大上下文。</translation>
    </message>
    <message>
        <source>Shorten or remove “%1”, or raise the context.</source>
        <translation>请缩短或移除“%1”，或增大上下文。</translation>
    </message>
</context>
<context>
    <name>Choices</name>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Evict tokens</source>
        <translation>驱逐词元</translation>
    </message>
    <message>
        <source>Attention matching</source>
        <translation>注意力匹配</translation>
    </message>
    <message>
        <source>Low key norms</source>
        <translation>键范数小</translation>
    </message>
    <message>
        <source>High key norms</source>
        <translation>键范数大</translation>
    </message>
    <message>
        <source>Unlike the others (KeyDiff)</source>
        <translation>差异最大的键（KeyDiff）</translation>
    </message>
    <message>
        <source>Newest only (StreamingLLM)</source>
        <translation>仅最新词元（StreamingLLM）</translation>
    </message>
    <message>
        <source>Seen by the newest queries (SnapKV)</source>
        <translation>最新查询关注的词元（SnapKV）</translation>
    </message>
    <message>
        <source>Seen by all queries (H2O)</source>
        <translation>所有查询关注的词元（H2O）</translation>
    </message>
    <message>
        <source>Seen when the text is repeated (KVzip)</source>
        <translation>重复文本时关注的词元（KVzip）</translation>
    </message>
    <message>
        <source>Expected to be seen (Expected Attention)</source>
        <translation>预期会被关注的词元（Expected Attention）</translation>
    </message>
    <message>
        <source>Each head alone</source>
        <translation>各头独立</translation>
    </message>
    <message>
        <source>Heads of a layer together</source>
        <translation>同层各头一起</translation>
    </message>
    <message>
        <source>All layers together</source>
        <translation>所有层一起</translation>
    </message>
    <message>
        <source>Every head the same</source>
        <translation>各头相同</translation>
    </message>
    <message>
        <source>By score in a layer (Ada-KV)</source>
        <translation>层内按得分（Ada-KV）</translation>
    </message>
    <message>
        <source>By score in all layers (KVzip)</source>
        <translation>全部层按得分（KVzip）</translation>
    </message>
    <message>
        <source>By how widely a head looks</source>
        <translation>按头的关注广度</translation>
    </message>
    <message>
        <source>By how its error falls</source>
        <translation>按误差下降</translation>
    </message>
    <message>
        <source>Measured without a task</source>
        <translation>无任务测得</translation>
    </message>
    <message>
        <source>Measured with questions (bench)</source>
        <translation>用问题测得（基准）</translation>
    </message>
    <message>
        <source>A repetition of the text</source>
        <translation>重复文本</translation>
    </message>
    <message>
        <source>A surrogate fitted to the model</source>
        <translation>为模型拟合的代理</translation>
    </message>
    <message>
        <source>By a repetition of the text</source>
        <translation>通过重复文本</translation>
    </message>
    <message>
        <source>Asked so far</source>
        <translation>迄今的查询</translation>
    </message>
    <message>
        <source>Text read again</source>
        <translation>重读文本</translation>
    </message>
    <message>
        <source>Text repeated</source>
        <translation>重复文本</translation>
    </message>
    <message>
        <source>At the budget</source>
        <translation>达到预算时</translation>
    </message>
    <message>
        <source>One turn late</source>
        <translation>延后一轮</translation>
    </message>
    <message>
        <source>After the prompt</source>
        <translation>提示词之后</translation>
    </message>
    <message>
        <source>With each chunk</source>
        <translation>每个分块后</translation>
    </message>
    <message>
        <source>All alike</source>
        <translation>全部一致</translation>
    </message>
    <message>
        <source>Random (Hadamard)</source>
        <translation>随机（Hadamard）</translation>
    </message>
    <message>
        <source>Calibrated on the model</source>
        <translation>按模型校准</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>One for each answer</source>
        <translation>每个回答一遍</translation>
    </message>
    <message>
        <source>Fast (8 bits)</source>
        <translation>快速（8 位）</translation>
    </message>
    <message>
        <source>Exact (slow)</source>
        <translation>精确（慢）</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>8 bits in two terms</source>
        <translation>8 位，分两项</translation>
    </message>
    <message>
        <source>By distance and query centres (TriAttention)</source>
        <translation>按距离与查询中心（TriAttention）</translation>
    </message>
    <message>
        <source>Strict</source>
        <translation>严格</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
</context>
<context>
    <name>ComparisonTable</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>%1: %2 tokens</source>
        <translation>%1：%2 个词元</translation>
    </message>
    <message>
        <source>Answer, tokens</source>
        <translation>回答，词元</translation>
    </message>
    <message>
        <source>ended: A %1, B %2</source>
        <translation>结束：A %1，B %2</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>占用字节</translation>
    </message>
    <message>
        <source>Allocated bytes</source>
        <translation>已分配字节</translation>
    </message>
    <message>
        <source>Logical to live bytes</source>
        <translation>逻辑与占用字节比</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>压缩次数</translation>
    </message>
    <message>
        <source>Time in compactions</source>
        <translation>压缩耗时</translation>
    </message>
    <message>
        <source>Time to read the prompt</source>
        <translation>读取提示词耗时</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
    <message>
        <source>Answer, tokens per second</source>
        <translation>回答，每秒词元</translation>
    </message>
    <message>
        <source>measuring is not in it</source>
        <translation>不含测量</translation>
    </message>
    <message>
        <source>KL to the whole cache, mean</source>
        <translation>与完整缓存的 KL，均值</translation>
    </message>
    <message>
        <source>KL, 99th percentile</source>
        <translation>KL，第 99 百分位</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>奈特</translation>
    </message>
    <message>
        <source>Same likeliest token</source>
        <translation>最可能词元相同</translation>
    </message>
    <message>
        <source>the answer has ended</source>
        <translation>回答已结束</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>The same %1 tokens.</source>
        <translation>相同的 %1 个词元。</translation>
    </message>
    <message>
        <source> Neither cache was made smaller: ask about a longer text, or compress more.</source>
        <translation> 两个缓存都没有变小：请就更长的文本提问，或加大压缩。</translation>
    </message>
    <message>
        <source>First difference at token %1 of the answer. A: %2. B: %3.</source>
        <translation>首个不同在回答的第 %1 个词元。A：%2。B：%3。</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
</context>
<context>
    <name>ConnectionList</name>
    <message>
        <source>No key is kept.</source>
        <translation>未保存密钥。</translation>
    </message>
    <message>
        <source>The key is kept in the keyring of the desktop.</source>
        <translation>密钥保存在桌面钥匙环中。</translation>
    </message>
    <message>
        <source>There is no keyring here: the key is kept in a file that only you may read.</source>
        <translation>此处没有钥匙环：密钥保存在只有您能读取的文件中。</translation>
    </message>
    <message>
        <source>The key is forgotten when the program ends.</source>
        <translation>程序结束时密钥即被遗忘。</translation>
    </message>
</context>
<context>
    <name>Conversations</name>
    <message>
        <source>The stored conversations were damaged, and nothing in them could be read. The file was moved to %1, and a new one was begun.</source>
        <translation>存储的对话已损坏，无法读取任何内容。文件已移至 %1，并新建了一个文件。</translation>
    </message>
    <message>
        <source>The stored conversations were damaged. What could be read was saved: %1 conversations with %2 messages. </source>
        <translation>存储的对话已损坏。可读部分已保存：%1 个对话，%2 条消息。 </translation>
    </message>
    <message>
        <source>No message is known to be missing. </source>
        <translation>未发现缺失的消息。 </translation>
    </message>
    <message>
        <source>At least %1 messages are lost. </source>
        <translation>至少丢失 %1 条消息。 </translation>
    </message>
    <message>
        <source>The damaged file is kept as %1.</source>
        <translation>损坏的文件保留为 %1。</translation>
    </message>
    <message>
        <source>“%1” was changed by another Lacuna meanwhile.</source>
        <translation>“%1”已被另一个 Lacuna 更改。</translation>
    </message>
    <message>
        <source>%1 was written by a newer Lacuna. It was left alone, and conversations are not kept this time.</source>
        <translation>%1 由更新版本的 Lacuna 写入。文件保持原样，本次不保存对话。</translation>
    </message>
    <message>
        <source>Conversations are not kept: %1</source>
        <translation>对话不会保存：%1</translation>
    </message>
    <message>
        <source>%1 cannot be made.</source>
        <translation>无法创建 %1。</translation>
    </message>
    <message>
        <source>%1 is damaged, and what can be read of it cannot be saved: %2</source>
        <translation>%1 已损坏，其可读部分无法保存：%2</translation>
    </message>
    <message>
        <source>They are shown here, and nothing</source>
        <translation>对话显示在这里，但任何内容</translation>
    </message>
    <message>
        <source>They cannot be read here, and nothing</source>
        <translation>对话无法在此读取，且任何内容</translation>
    </message>
    <message>
        <source>Another Lacuna (%1) keeps the conversations of %2. %3 is written before that one ends. `lacuna window --data-dir FOLDER` keeps them in a folder of its own.</source>
        <translation>另一个 Lacuna (%1) 正在保存 %2 的对话。%3在其结束之前都不会写入。`lacuna window --data-dir 文件夹` 可将对话保存在单独的文件夹中。</translation>
    </message>
    <message>
        <source>Conversations are not kept: %1 %2 is written before that is mended.</source>
        <translation>对话不会保存：%1 %2在修复之前都不会写入。</translation>
    </message>
    <message>
        <source>%1 cannot be renamed.</source>
        <translation>无法重命名 %1。</translation>
    </message>
    <message>
        <source>%1 cannot be moved aside.</source>
        <translation>无法移走 %1。</translation>
    </message>
    <message>
        <source>This message is not what was written: it was damaged on disk.</source>
        <translation>此消息与写入时不同：它在磁盘上已损坏。</translation>
    </message>
    <message>
        <source>Lacuna ended while this answer was being written.</source>
        <translation>生成此回答时 Lacuna 已结束。</translation>
    </message>
    <message>
        <source>Recovered conversation</source>
        <translation>恢复的对话</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>idle: the next token decides by the new settings</source>
        <translation>空闲，下一个词元按新设置决定</translation>
    </message>
    <message>
        <source>method is none</source>
        <translation>方法为“无”</translation>
    </message>
    <message>
        <source>method is l2</source>
        <translation>方法为“驱逐词元”</translation>
    </message>
    <message>
        <source>method is am</source>
        <translation>方法为“注意力匹配”</translation>
    </message>
    <message>
        <source>the AM ratio is 1 and there is no budget</source>
        <translation>AM 压缩比为 1 且没有预算</translation>
    </message>
    <message>
        <source>only the cache limit compacts</source>
        <translation>仅由缓存上限触发压缩</translation>
    </message>
    <message>
        <source>method is none, there is no window and no row of codes is kept in 16 bits</source>
        <translation>方法为“无”，没有窗口，且没有编码行以 16 位保存</translation>
    </message>
    <message>
        <source>the AM ratio is 1, there is no budget and no row of codes is kept in 16 bits</source>
        <translation>AM 压缩比为 1，没有预算，且没有编码行以 16 位保存</translation>
    </message>
    <message>
        <source>nothing is chosen by reconstruction scores</source>
        <translation>没有按重建得分选择的内容</translation>
    </message>
    <message>
        <source>the policy chooses by keys, not by attention</source>
        <translation>该策略按键选择，而非按注意力</translation>
    </message>
    <message>
        <source>method is l2 and no text is read again for it</source>
        <translation>方法为“驱逐词元”，且无需为其重读文本</translation>
    </message>
    <message>
        <source>%1 or more while method is l2</source>
        <translation>方法为“驱逐词元”时须为 %1 或以上</translation>
    </message>
    <message>
        <source>every layer of %1 keeps a window of its own%2</source>
        <translation>%1 的每一层都有自己的窗口%2</translation>
    </message>
    <message>
        <source>unless layer_caches is uniform</source>
        <translation>除非 layer_caches 为 uniform</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>%1 或以上</translation>
    </message>
    <message>
        <source>%1 sinks, %2 recent tokens and one more slot must fit</source>
        <translation>须容纳 %1 个汇聚词元、%2 个最近词元和一个槽位</translation>
    </message>
    <message>
        <source>the context has %1 tokens</source>
        <translation>上下文有 %1 个词元</translation>
    </message>
    <message>
        <source>0 to %1</source>
        <translation>0 至 %1</translation>
    </message>
    <message>
        <source>the context has %1 tokens and nothing would be left to compact</source>
        <translation>上下文有 %1 个词元，将没有可压缩的内容</translation>
    </message>
    <message>
        <source>off, or 1 to %1</source>
        <translation>off，或 1 至 %1</translation>
    </message>
    <message>
        <source>a margin may not pass the budget</source>
        <translation>余量不得超过预算</translation>
    </message>
    <message>
        <source>auto, uniform, entropy, coverage, task_free, reconstruction</source>
        <translation>auto, uniform, entropy, coverage, task_free, reconstruction</translation>
    </message>
    <message>
        <source>%1 has no head profile made with questions (lacuna calibrate-kv --questions makes it)</source>
        <translation>%1 没有用问题制作的头剖面（可用 lacuna calibrate-kv --questions 制作）</translation>
    </message>
    <message>
        <source>auto, repetition</source>
        <translation>auto, repetition</translation>
    </message>
    <message>
        <source>%1 has no surrogate of reconstruction scores (lacuna calibrate-kv --surrogate fits one)</source>
        <translation>%1 没有重建得分的代理（可用 lacuna calibrate-kv --surrogate 拟合）</translation>
    </message>
    <message>
        <source>auto or equal while coherence is %1</source>
        <translation>coherence 为 %1 时须为 auto 或 equal</translation>
    </message>
    <message>
        <source>heads that choose together keep the same tokens, so none can keep more</source>
        <translation>一起选择的头保留相同的词元，因此没有头能保留更多</translation>
    </message>
    <message>
        <source>auto, equal, adaptive</source>
        <translation>auto, equal, adaptive</translation>
    </message>
    <message>
        <source>scores of %1 cannot be compared between layers, only shares of attention can</source>
        <translation>%1 的得分无法在层间比较，只有注意力占比可以</translation>
    </message>
    <message>
        <source>layers 0 to %1</source>
        <translation>第 0 至 %1 层</translation>
    </message>
    <message>
        <source>%1 has %2 layers</source>
        <translation>%1 有 %2 层</translation>
    </message>
    <message>
        <source>each layer once</source>
        <translation>每层一次</translation>
    </message>
    <message>
        <source>layer %1 is named twice</source>
        <translation>第 %1 层出现两次</translation>
    </message>
    <message>
        <source>fewer than all %1 layers</source>
        <translation>少于全部 %1 层</translation>
    </message>
    <message>
        <source>fewer layers without a window of their own</source>
        <translation>更少的无自有窗口的层</translation>
    </message>
    <message>
        <source>%1 would leave every layer as it is</source>
        <translation>%1 将使所有层保持原样</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>AM ratio</source>
        <translation>AM 压缩比</translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation>词元预算</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>槽位</translation>
    </message>
    <message>
        <source>Slots each head keeps after a compaction; at least sinks + keep recent + 1, at most the context. Between two compactions the cache may pass it by the margin.</source>
        <translation>压缩后每头保留的槽位；至少为汇聚 + 最近 + 1，至多为上下文长度。两次压缩之间缓存可超出余量。</translation>
    </message>
    <message>
        <source>Keep recent</source>
        <translation>保留最近</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Sinks</source>
        <translation>汇聚词元</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>Slots above the target before a compaction fires; off means an eighth of the target, between 16 and 256. A larger margin compacts less often and holds more.</source>
        <translation>触发压缩前可超出目标的槽位；off 为目标的八分之一，介于 16 与 256 之间。余量越大，压缩越少，占用越多。</translation>
    </message>
    <message>
        <source>Keep which keys</source>
        <translation>保留哪些键</translation>
    </message>
    <message>
        <source>Heads decide</source>
        <translation>各头决定方式</translation>
    </message>
    <message>
        <source>Whether each head evicts for itself, the heads of a layer together, or all layers together.</source>
        <translation>由各头独立驱逐、同层各头一起驱逐，还是所有层一起驱逐。</translation>
    </message>
    <message>
        <source>Slots by head (eviction)</source>
        <translation>各头槽位（驱逐）</translation>
    </message>
    <message>
        <source>How an l2 eviction shares its slots out; the total is the same. equal: every head the budget. adaptive: the heads of a layer share, those with higher scores keep more, and each a fifth for itself (Ada-KV, arXiv 2407.11550); scores that are no attention count in units of their own spread. whole_model: all heads of all layers share, for policies by attention alone. With either, heads choose alone (coherence=per_head). auto is whole_model for reconstruct, else equal.</source>
        <translation>l2 驱逐如何分配槽位；总数相同。equal：各头均为预算。adaptive：同层各头共享，得分高者保留更多，每头保底五分之一（Ada-KV，arXiv 2407.11550）；非注意力得分按自身离散度计。whole_model：所有层的所有头共享，仅适用于按注意力的策略。两者均由各头独立选择（coherence=per_head）。auto：reconstruct 时为 whole_model，否则为 equal。</translation>
    </message>
    <message>
        <source>Slots by head</source>
        <translation>各头槽位</translation>
    </message>
    <message>
        <source>Reconstruction scores by</source>
        <translation>重建得分来自</translation>
    </message>
    <message>
        <source>Demote punctuation</source>
        <translation>降低标点权重</translation>
    </message>
    <message>
        <source>on lets tokens without a letter or a digit count a fifth where an l2 eviction chooses by attention: punctuation, blanks and markup, unless they join two words or numbers. At high ratios they take many slots of larger models.</source>
        <translation>on：l2 驱逐按注意力选择时，不含字母或数字的词元只按五分之一计：标点、空白和标记，除非连接两个词或数字。压缩比高时它们会占用较大模型的许多槽位。</translation>
    </message>
    <message>
        <source>Judged by queries of</source>
        <translation>评判所用查询</translation>
    </message>
    <message>
        <source>Whose queries an am compaction is fitted to. captured: those the model asked so far, at no cost; where rows came from elsewhere and these are too few, as context. context: those of the text, which is read once more; nothing is collected while it answers. repeat: those of the text repeated after an instruction to do so, which takes more than two readings, see background. The cache of such a reading takes memory meanwhile, within cache_limit; where there is no room, or a repetition passes the context of the model, the next lesser choice is taken, and the compaction says so. random: nobody&apos;s, a control for measurements only.</source>
        <translation>am 压缩按谁的查询拟合。captured：模型迄今的查询，没有代价；若各行来自别处而查询太少，则同 context。context：重读一遍的文本的查询；回答时不收集。repeat：按指令重复文本的查询，需读两遍以上，见 background。此类读取的缓存暂时占用内存，受 cache_limit 限制；空间不足或重复超出模型上下文时采用次一级选择，并加以说明。random：任意，仅作测量对照。</translation>
    </message>
    <message>
        <source>Compact when</source>
        <translation>何时压缩</translation>
    </message>
    <message>
        <source>at_budget compacts as soon as budget or ratio and margin are passed. turn_late waits for the end of an answer and compacts what stood before its question; question and answer stay as they are until the next answer has ended, and their queries alone judge the rest (delayed compaction, arXiv 2608.00902). The AM ratio then counts for what stood before; the cache may grow by a whole turn beyond the budget. cache_limit and compacting by hand act at once all the same. A conversation that is read anew or from a file counts as one turn of the past.</source>
        <translation>at_budget：一旦超过预算（或压缩比）与余量即压缩。turn_late：等回答结束，压缩其问题之前的内容；问题和回答保持原样，直到下个回答结束，其余仅由它们的查询评判（延迟压缩，arXiv 2608.00902）。此时 AM 压缩比针对之前的内容；缓存可超出预算一整轮。cache_limit 和手动压缩仍立即执行。重新读取或从文件读取的对话算作过去的一轮。</translation>
    </message>
    <message>
        <source>Pin rare tokens</source>
        <translation>固定罕见词元</translation>
    </message>
    <message>
        <source>The rarest tokens by their keys, names, numbers and codes, stay verbatim with four neighbours on either side in an am compaction; at most a quarter of what a head keeps. 0 pins nothing.</source>
        <translation>按键最罕见的词元（名称、数字和代码）在 am 压缩中原样保留，两侧各带四个相邻词元；最多占每头保留量的四分之一。0 表示不固定。</translation>
    </message>
    <message>
        <source>Compact beside the answer</source>
        <translation>边回答边压缩</translation>
    </message>
    <message>
        <source>on fits an am compaction on threads of low priority while the conversation goes on, and takes it over between two tokens; where the text is read again for a compaction, that waits for a pause between answers. off stops the answer meanwhile. Other l2 compactions take no time worth mentioning and are always done at once.</source>
        <translation>on：在低优先级线程上拟合 am 压缩，对话继续，并在两个词元之间接入；需要重读文本时，等回答之间的空闲。off：期间暂停回答。其他 l2 压缩几乎不耗时，总是立即完成。</translation>
    </message>
    <message>
        <source>Skip layers</source>
        <translation>跳过的层</translation>
    </message>
    <message>
        <source>Layers a compaction leaves whole, as 0,1. The real ratio then falls accordingly.</source>
        <translation>压缩时保持完整的层，如 0,1。实际压缩比相应降低。</translation>
    </message>
    <message>
        <source>Compact prompts</source>
        <translation>压缩提示词</translation>
    </message>
    <message>
        <source>after_prefill compacts once the prompt is in (best quality); per_chunk compacts between chunks (memory stays bounded).</source>
        <translation>after_prefill：提示词读完后压缩（质量最佳）；per_chunk：在分块之间压缩（内存有界）。</translation>
    </message>
    <message>
        <source>the heads of %1 have %2 numbers</source>
        <translation>%1 的头有 %2 个数</translation>
    </message>
    <message>
        <source>%1, and rotated codes need an even number from %2 to %3</source>
        <translation>%1，而旋转编码需要 %2 至 %3 之间的偶数</translation>
    </message>
    <message>
        <source>%1, which groups of %2 do not divide</source>
        <translation>%1，不能被分组 %2 整除</translation>
    </message>
    <message>
        <source>same, %1, or codes (q8_0, q4_0, t8 to t1)</source>
        <translation>same、%1，或编码（q8_0、q4_0、t8 至 t1）</translation>
    </message>
    <message>
        <source>keys and values that are plain numbers have one type</source>
        <translation>键和值为普通数值时类型相同</translation>
    </message>
    <message>
        <source>same, %1</source>
        <translation>same, %1</translation>
    </message>
    <message>
        <source>no rotations were calibrated on %1 (lacuna calibrate-kv --rotations does it)</source>
        <translation>未在 %1 上校准旋转（可用 lacuna calibrate-kv --rotations）</translation>
    </message>
    <message>
        <source>auto, hadamard</source>
        <translation>auto, hadamard</translation>
    </message>
    <message>
        <source>what codes of each layer cost was not measured on %1 (lacuna calibrate-kv --layers does it)</source>
        <translation>未在 %1 上测量各层编码的代价（可用 lacuna calibrate-kv --layers）</translation>
    </message>
    <message>
        <source>every layer has the same</source>
        <translation>各层相同</translation>
    </message>
    <message>
        <source>%1 of %2 to %3 bits</source>
        <translation>%1 为 %2 至 %3 位</translation>
    </message>
    <message>
        <source>calibrated on this model</source>
        <translation>已在此模型上校准</translation>
    </message>
    <message>
        <source>hadamard; what was calibrated cannot be used: %1</source>
        <translation>hadamard；校准结果无法使用：%1</translation>
    </message>
    <message>
        <source>hadamard; nothing was calibrated on this model</source>
        <translation>hadamard；未在此模型上校准</translation>
    </message>
    <message>
        <source>0, or %1 or more</source>
        <translation>0，或 %1 及以上</translation>
    </message>
    <message>
        <source>%1 sinks, %2 recent tokens and a prefill chunk of %3 must fit</source>
        <translation>须容纳 %1 个汇聚词元、%2 个最近词元和 %3 的预填充分块</translation>
    </message>
    <message>
        <source>a prefill chunk of %1 must fit</source>
        <translation>须容纳 %1 的预填充分块</translation>
    </message>
    <message>
        <source>0, or %1 to %2</source>
        <translation>0，或 %1 至 %2</translation>
    </message>
    <message>
        <source>the model was trained with %1 tokens</source>
        <translation>模型以 %1 个词元训练</translation>
    </message>
    <message>
        <source>off, or 0 to %1</source>
        <translation>off，或 0 至 %1</translation>
    </message>
    <message>
        <source>Cache type</source>
        <translation>缓存类型</translation>
    </message>
    <message>
        <source>Number format of keys and values in the cache; q8_0 and q4_0 take about half and a third of the bytes of f16 (codes in groups of 32 with scale and bias). t8 to t1 are codes of so many bits of rows that a rotation spreads, with one scale a row (arXiv 2504.19874): t4 takes a quarter, t2 an eighth. Low bits ruin some models silently: measure recall first. A cache in use is coded again between steps; what fewer bits have rounded away stays lost.</source>
        <translation>缓存中键和值的数值格式；q8_0 和 q4_0 约占 f16 的一半和三分之一（32 个一组的编码，带缩放和偏置）。t8 至 t1 是经旋转展开的行的相应位数编码，每行一个缩放（arXiv 2504.19874）：t4 占四分之一，t2 占八分之一。低位数会悄然损坏某些模型：请先测量召回。使用中的缓存会在步骤之间重新编码；因位数减少而舍去的部分无法恢复。</translation>
    </message>
    <message>
        <source>Value type</source>
        <translation>值类型</translation>
    </message>
    <message>
        <source>Number format of the values where it differs from that of the keys (Cache type); same takes that one. Values bear coarser codes than keys: f16 keys with q8_0, q4_0 or t4 values, t8 keys with t4 values. Keys and values that are plain numbers have one type.</source>
        <translation>值的数值格式与键（缓存类型）不同时在此设置；same 表示相同。值比键更能承受粗编码：f16 键配 q8_0、q4_0 或 t4 值，t8 键配 t4 值。键和值为普通数值时类型相同。</translation>
    </message>
    <message>
        <source>Exact window</source>
        <translation>精确窗口</translation>
    </message>
    <message>
        <source>Of a cache of rotated codes (t8 to t1): so many newest tokens, and the first ones (n_sink), keep their rows in 16 bits alongside the codes, and what asks from so near reads those (KIVI, arXiv 2402.02750, keeps 128). Takes the bytes of so many f16 tokens whatever the length of the text; 0 keeps codes alone.</source>
        <translation>用于旋转编码缓存（t8 至 t1）：如此多的最新词元和最前词元（n_sink） 除编码外还以 16 位保存其行，近处的查询读取这些行（KIVI，arXiv 2402.02750，保留 128）。无论文本多长，均占相应数量 f16 词元的字节；0 表示仅保留编码。</translation>
    </message>
    <message>
        <source>neither kv_type nor v_type is one of the rotated codes t8 to t1</source>
        <translation>kv_type 和 v_type 都不是旋转编码 t8 至 t1</translation>
    </message>
    <message>
        <source>codes alone</source>
        <translation>仅编码</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>旋转</translation>
    </message>
    <message>
        <source>What turns the rows of rotated codes (t8 to t1). hadamard: random signs and a Hadamard matrix, the same for every model. calibrated: for each head from what its queries look at on a text, with the centre of its keys (arXiv 2605.17757); lacuna calibrate-kv --rotations makes them in minutes. auto is calibrated where the model has them.</source>
        <translation>旋转编码（t8 至 t1）的行如何旋转。hadamard：随机符号加哈达玛矩阵，所有模型相同。calibrated：每个头按其查询在文本上的关注得出，并以其键的中心为准（arXiv 2605.17757）；lacuna calibrate-kv --rotations 可在数分钟内生成。auto：模型有校准旋转时为 calibrated。</translation>
    </message>
    <message>
        <source>no row is of rotated codes (kv_type, v_type t8 to t1)</source>
        <translation>没有旋转编码的行（kv_type、v_type 为 t8 至 t1）</translation>
    </message>
    <message>
        <source>Extra bits</source>
        <translation>额外位数</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>位</translation>
    </message>
    <message>
        <source>Of a cache of rotated codes (t8 to t1): so many bits a number more on average, in the layers where they save this model most; keys and values of each layer have their own. What each costs is measured once (lacuna calibrate-kv --layers, minutes). 0 gives every layer the same.</source>
        <translation>用于旋转编码缓存（t8 至 t1）：平均每个数多用如此多位，分配给对此模型最有益的层；各层的键和值分别计算。各层代价只测量一次（lacuna calibrate-kv --layers，数分钟）。0 表示各层相同。</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Every layer forgets by age: it keeps the first tokens (n_sink) and the newest, so many in all (arXiv 2309.17453). Not together with a method or a budget.</source>
        <translation>每层按新旧遗忘：保留最前词元（n_sink） 和最新词元，总数如此（arXiv 2309.17453）。不能与方法或预算同用。</translation>
    </message>
    <message>
        <source>Layer caches</source>
        <translation>各层缓存</translation>
    </message>
    <message>
        <source>auto lets layers that see only a window of the text keep only that window (gemma, mistral); uniform keeps every token in all layers, so that the conversation can be taken back to any point without reading it anew.</source>
        <translation>auto：只看文本窗口的层仅保留该窗口（gemma、mistral）；uniform：所有层保留每个词元，对话可回到任意位置而无需重读。</translation>
    </message>
    <message>
        <source>no layer of the model has a window of its own</source>
        <translation>模型没有自带窗口的层</translation>
    </message>
    <message>
        <source>Cache limit</source>
        <translation>缓存上限</translation>
    </message>
    <message>
        <source>Memory that the caches of all conversations may fill together. A step that would pass it first compacts the largest, by the method chosen, then gives caches of idle conversations back; where that is not enough the answer ends with an error and nothing is lost. 0 is no limit.</source>
        <translation>所有对话缓存合计可占的内存。将要超出的步骤先按所选方法压缩最大的缓存，再释放空闲对话的缓存；仍不足时回答以错误结束，但不丢失任何内容。0 表示无上限。</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>无上限</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Memory for what was read, kept for other conversations, branches and requests that begin alike: they need not read it again. Rows that a conversation holds as well are counted and take no second copy. 0 is off.</source>
        <translation>用于保存已读内容的内存，供开头相同的其他对话、分支和请求使用，无需重新读取。对话也持有的行计入但不占第二份。0 表示关闭。</translation>
    </message>
    <message>
        <source>Prefix cache on disk</source>
        <translation>磁盘前缀缓存</translation>
    </message>
    <message>
        <source>Room on disk for what was read, over restarts and for all models together: a conversation that is opened again reads its rows there, where that is predicted to be faster than computing them. Whoever reads the folder can learn what was said; private questions never reach it. 0 is off and removes nothing.</source>
        <translation>用于保存已读内容的磁盘空间，跨重启且所有模型共用：重新打开的对话在预计读取快于计算时从此处读取其行。能读取该文件夹的人可得知所说内容；私密问题绝不写入。0 表示关闭，但不删除已有内容。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Most tokens of a conversation, prompt and answer together; 0 is the model&apos;s trained context.</source>
        <translation>对话的最大词元数，含提示词和回答；0 为模型训练的上下文。</translation>
    </message>
    <message>
        <source>Context shift</source>
        <translation>上下文移位</translation>
    </message>
    <message>
        <source>When the context is full: off ends the answer; a number keeps so many first tokens, gives up half of the others and moves the newer half up, as often as needed. Not together with a method, a window or a coded kv_type.</source>
        <translation>上下文已满时：off 结束回答；数字表示保留如此多的最前词元，放弃其余的一半，并将较新的一半前移，按需重复。不能与方法、窗口或编码的 kv_type 同用。</translation>
    </message>
    <message>
        <source>Prefill chunk</source>
        <translation>预填充分块</translation>
    </message>
    <message>
        <source>Prompt tokens computed in one step. Settings and cancel take effect between two steps.</source>
        <translation>一步计算的提示词词元数。设置和停止在步骤之间生效。</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>同时回答</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Conversations answered side by side, one pass over the weights for all of them; further questions wait. A prompt that is being read delays the others by one chunk for each token.</source>
        <translation>并行回答的对话数，所有对话共用一遍权重；更多问题需等待。正在读取的提示词会使其他对话每个词元延迟一个分块。</translation>
    </message>
    <message>
        <source>Passes over the weights</source>
        <translation>权重遍历</translation>
    </message>
    <message>
        <source>shared: one pass over the weights serves all answers of a step, and products of several rows may round differently from those of one. apart: each answer has its own pass and is bit for bit the one it would be alone, more slowly.</source>
        <translation>shared：一遍权重供同一步的所有回答使用，多行乘积的舍入可能与单行不同。apart：每个回答各用一遍，与单独回答时逐位相同，但更慢。</translation>
    </message>
    <message>
        <source>answers are written one at a time</source>
        <translation>一次只生成一个回答</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>草稿词元</translation>
    </message>
    <message>
        <source>Tokens guessed from earlier text and checked in one step (prompt lookup); 0 is off. The answer stays the same; text that repeats comes faster. Beside a budget compactions come after the same tokens as without; which of two keys of equal rank goes may then differ.</source>
        <translation>由先前文本猜测并在一步内验证的词元（提示词查找）；0 表示关闭。回答不变；重复的文本生成更快。与预算同用时，压缩发生在相同的词元之后，但同级的两个键中驱逐哪个可能不同。</translation>
    </message>
    <message>
        <source>Quality sample every</source>
        <translation>质量采样间隔</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>Compute threads; 0 is one for each physical core.</source>
        <translation>计算线程数；0 为每个物理核一个。</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source>Most tokens of an answer; 0 reads the prompt and answers nothing.</source>
        <translation>回答的最大词元数；0 表示只读取提示词而不回答。</translation>
    </message>
    <message>
        <source>temperature is 0</source>
        <translation>温度为 0</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always takes the most likely token; higher values vary more.</source>
        <translation>0 总是取最可能的词元；值越高变化越大。</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Draws from the k most likely tokens only; 0 is off.</source>
        <translation>仅从最可能的 k 个词元中抽取；0 表示关闭。</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Draws from the fewest tokens that together reach this probability; 1 is off (arXiv 1904.09751).</source>
        <translation>从累计达到此概率的最少词元中抽取；1 表示关闭（arXiv 1904.09751）。</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Drops tokens less likely than this share of the most likely one; 0 is off (arXiv 2407.01082).</source>
        <translation>舍去概率低于最可能词元此比例的词元；0 表示关闭（arXiv 2407.01082）。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Divides positive and multiplies negative logits of recent tokens; 1 is off (arXiv 1909.05858).</source>
        <translation>对最近词元的正 logit 相除、负 logit 相乘；1 表示关闭（arXiv 1909.05858）。</translation>
    </message>
    <message>
        <source>the penalty window is 0</source>
        <translation>惩罚窗口为 0</translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation>惩罚窗口</translation>
    </message>
    <message>
        <source>How many tokens the repetition penalty looks back; 0 is off.</source>
        <translation>重复惩罚回看的词元数；0 表示关闭。</translation>
    </message>
    <message>
        <source>the repetition penalty is 1</source>
        <translation>重复惩罚为 1</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>Taken off the logit of every token that the answer holds already; 0 is off. The prompt does not count.</source>
        <translation>从回答中已出现的每个词元的 logit 中减去；0 表示关闭。提示词不计。</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>Taken off the logit of a token for each time it came in the answer; 0 is off. The prompt does not count.</source>
        <translation>词元在回答中每出现一次，就从其 logit 中减去；0 表示关闭。提示词不计。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>The same seed, settings and conversation give the same answer; off draws a seed and reports it.</source>
        <translation>相同的种子、设置和对话给出相同的回答；off 会抽取一个种子并报告。</translation>
    </message>
    <message>
        <source>or while</source>
        <translation>或当</translation>
    </message>
    <message>
        <source>above %1, up to %2</source>
        <translation>大于 %1，至多 %2</translation>
    </message>
    <message>
        <source>off, or 0 to 18446744073709551615</source>
        <translation>off，或 0 至 18446744073709551615</translation>
    </message>
    <message>
        <source>off, or %1 to %2</source>
        <translation>off，或 %1 至 %2</translation>
    </message>
    <message>
        <source>off, or a list of %1 to %2</source>
        <translation>off，或 %1 至 %2 的列表</translation>
    </message>
    <message>
        <source>%1 is &apos;%2&apos;, which is not %3; allowed is %4.</source>
        <translation>%1 为“%2”，不是%3；允许 %4。</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>one of the choices</source>
        <translation>可选项之一</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3; the nearest valid value is %4.</source>
        <translation>%1 为 %2；允许 %3；最接近的有效值为 %4。</translation>
    </message>
    <message>
        <source>a list of whole numbers</source>
        <translation>整数列表</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a setting; settings are %2.</source>
        <translation>“%1”不是设置项；设置项有 %2。</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>%1=%2 is called %3 now, and is read so</source>
        <translation>%1=%2 现称 %3，并按此读取</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not of the form key=value.</source>
        <translation>“%1”不是“键=值”的形式。</translation>
    </message>
    <message>
        <source>%1 leaves %2 of %3 layers of %4 as they are: they keep a window of their own</source>
        <translation>%1 使 %4 的 %3 层中 %2 层保持原样：它们有自己的窗口</translation>
    </message>
    <message>
        <source>auto is reconstruct: the model has a surrogate that foretells its scores</source>
        <translation>auto 为 reconstruct：模型有预测其得分的代理</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3.</source>
        <translation>%1 为 %2；允许 %3。</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3, because %4.</source>
        <translation>%1 为 %2；允许 %3，因为%4。</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3, because %4; the nearest valid value is %5.</source>
        <translation>%1 为 %2；允许 %3，因为%4；最接近的有效值为 %5。</translation>
    </message>
    <message>
        <source>off beside %1</source>
        <translation>与 %1 同用时为 off</translation>
    </message>
    <message>
        <source>weights of %1 MiB and a cache of %2 MiB pass the memory of %3 MiB</source>
        <translation>权重 %1 MiB 与缓存 %2 MiB 超出内存 %3 MiB</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>the draft model keeps every token in a cache of its own, which no compaction makes smaller</source>
        <translation>草稿模型在自己的缓存中保留每个词元，任何压缩都不会使其变小</translation>
    </message>
    <message>
        <source>keys can be turned to other places only where every token is held as plain numbers</source>
        <translation>只有每个词元都以普通数值保存时，键才能旋转到其他位置</translation>
    </message>
    <message>
        <source>both bound the memory, each by dropping other tokens</source>
        <translation>两者都限制内存，但舍弃的词元不同</translation>
    </message>
    <message>
        <source>keep one of the two</source>
        <translation>请保留其中之一</translation>
    </message>
    <message>
        <source>tokens that were merged cannot be dropped by their age any more</source>
        <translation>已合并的词元无法再按新旧舍弃</translation>
    </message>
    <message>
        <source>a cache with a window forgets by age, and nothing else is ever evicted from it</source>
        <translation>带窗口的缓存按新旧遗忘，不会驱逐其他内容</translation>
    </message>
    <message>
        <source>take no draft model or remove the budget</source>
        <translation>请不用草稿模型，或移除预算</translation>
    </message>
    <message>
        <source>take no draft model or set method to none</source>
        <translation>请不用草稿模型，或将 method 设为 none</translation>
    </message>
    <message>
        <source>sliding layers of the model</source>
        <translation>模型的滑动层</translation>
    </message>
    <message>
        <source>a layer with a window has lost the tokens that would have to be turned</source>
        <translation>带窗口的层已丢失需要旋转的词元</translation>
    </message>
    <message>
        <source>switch the shift off or take a model without sliding layers</source>
        <translation>请关闭移位，或使用没有滑动层的模型</translation>
    </message>
    <message>
        <source>switch the shift off or take f16, bf16 or f32</source>
        <translation>请关闭移位，或使用 f16、bf16 或 f32</translation>
    </message>
    <message>
        <source>a window needs 2 tokens or more, and more than it always keeps</source>
        <translation>窗口需要 2 个或更多词元，且多于始终保留的数量</translation>
    </message>
    <message>
        <source>make the window larger or keep fewer first tokens</source>
        <translation>请增大窗口，或减少保留的最前词元</translation>
    </message>
    <message>
        <source>%1 and %2 cannot be used together, because %3; %4.</source>
        <translation>%1 与 %2 不能同用，因为%3；%4。</translation>
    </message>
    <message>
        <source>off: no method chosen</source>
        <translation>关闭：未选择方法</translation>
    </message>
    <message>
        <source>idle: no budget is set, so nothing is ever evicted</source>
        <translation>空闲，未设预算，因此不会驱逐</translation>
    </message>
    <message>
        <source>idle: an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>空闲，AM 压缩比为 1 会保留每个词元，且未设预算</translation>
    </message>
    <message>
        <source>idle: every layer is listed in skip_layers or keeps a window of its own</source>
        <translation>空闲，每一层都在 skip_layers 中或有自己的窗口</translation>
    </message>
    <message>
        <source>nothing to gain: %1 slots, the target is %2</source>
        <translation>没有收益：%1 个槽位，目标为 %2</translation>
    </message>
    <message>
        <source>%1 slots with keys that are not finite went first</source>
        <translation>先移除了 %1 个键非有限值的槽位</translation>
    </message>
    <message>
        <source>%1 heads hold different tokens since an earlier compaction and chose on their own</source>
        <translation>%1 个头自先前压缩后持有不同词元，已独立选择</translation>
    </message>
    <message>
        <source>the text is not known here, so that none of it was demoted</source>
        <translation>此处不知道文本，因此没有降低权重</translation>
    </message>
    <message>
        <source>judged by its queries</source>
        <translation>按其查询评判</translation>
    </message>
    <message>
        <source>coverage divided the slots</source>
        <translation>由 coverage 分配槽位</translation>
    </message>
    <message>
        <source>task_free divided the slots</source>
        <translation>由 task_free 分配槽位</translation>
    </message>
    <message>
        <source>copy scores divided the slots</source>
        <translation>由复制得分分配槽位</translation>
    </message>
    <message>
        <source>queries of %1 tokens were captured, at least %2 are needed: KeyDiff chose the keys and values stay as they were</source>
        <translation>捕获了 %1 个词元的查询，至少需要 %2 个：由 KeyDiff 选择键，值保持原样</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so their copy scores divided the slots</source>
        <translation>模型各头尚未测量，因此由其复制得分分配槽位</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so coverage divided the slots</source>
        <translation>模型各头尚未测量，因此由 coverage 分配槽位</translation>
    </message>
    <message>
        <source>the cache is as it was before</source>
        <translation>缓存与之前相同</translation>
    </message>
    <message>
        <source>it is still to be read</source>
        <translation>尚待读取</translation>
    </message>
    <message>
        <source>another compaction was asked for</source>
        <translation>已请求另一次压缩</translation>
    </message>
    <message>
        <source>the pass for its queries was broken off; the cache is as it was before</source>
        <translation>为其查询的遍历已中断；缓存与之前相同</translation>
    </message>
    <message>
        <source>this kind of cache has no snapshots, so it was compacted at once</source>
        <translation>此类缓存没有快照，因此立即压缩</translation>
    </message>
    <message>
        <source>its text is read again first</source>
        <translation>先重读其文本</translation>
    </message>
    <message>
        <source>the settings were changed</source>
        <translation>设置已更改</translation>
    </message>
    <message>
        <source>the conversation went on</source>
        <translation>对话已继续</translation>
    </message>
    <message>
        <source>the reading of its text was broken off</source>
        <translation>读取其文本已中断</translation>
    </message>
    <message>
        <source>a compaction is running in the background already</source>
        <translation>后台已有压缩在运行</translation>
    </message>
    <message>
        <source>the conversation went back into the tokens being compacted</source>
        <translation>对话回退到了正在压缩的词元中</translation>
    </message>
    <message>
        <source>key norms of this model are nearly constant (spread %1 %), KeyDiff chose instead</source>
        <translation>此模型的键范数几乎不变（离散度 %1 %），改由 KeyDiff 选择</translation>
    </message>
    <message>
        <source>how queries of this model turn depends on the length of the text, so that those to come cannot be foretold: KeyDiff chose instead</source>
        <translation>此模型查询的旋转取决于文本长度，无法预测未来查询：改由 KeyDiff 选择</translation>
    </message>
    <message>
        <source>queries of %1 tokens were seen, at least %2 are needed: KeyDiff chose instead</source>
        <translation>见到 %1 个词元的查询，至少需要 %2 个：改由 KeyDiff 选择</translation>
    </message>
    <message>
        <source>KeyDiff chose instead</source>
        <translation>改由 KeyDiff 选择</translation>
    </message>
    <message>
        <source>its scores cannot be compared between layers, so every head kept the same</source>
        <translation>其得分无法在层间比较，因此各头保留相同数量</translation>
    </message>
    <message>
        <source>auto is %1: best recall in %2 dialogues with %3, %4</source>
        <translation>auto 为 %1：在 %3 的 %2 个对话中召回最佳，%4</translation>
    </message>
    <message>
        <source>auto is keydiff: %1 models normalise their keys (QK-norm), so that norms say nothing</source>
        <translation>auto 为 keydiff：%1 模型会归一化键（QK-norm），范数没有意义</translation>
    </message>
    <message>
        <source>auto is keydiff: no recall was measured with a %1 model</source>
        <translation>auto 为 keydiff：未用 %1 模型测量过召回</translation>
    </message>
    <message>
        <source>the prompt is empty; it needs at least one token</source>
        <translation>提示词为空；至少需要一个词元</translation>
    </message>
    <message>
        <source>the prompt has %1 tokens and the context has room for %2; shorten the conversation or raise the context</source>
        <translation>提示词有 %1 个词元，上下文只能容纳 %2 个；请缩短对话或增大上下文</translation>
    </message>
    <message>
        <source>the cache cannot take proposed tokens back (%1); set draft_tokens to 0</source>
        <translation>缓存无法撤回提议的词元（%1）；请将 draft_tokens 设为 0</translation>
    </message>
    <message>
        <source>the conversation has no message to answer</source>
        <translation>对话中没有要回答的消息</translation>
    </message>
    <message>
        <source>the prompt has %1 bytes, which are %2 tokens or more, and the context has room for %3; shorten the conversation or raise the context</source>
        <translation>提示词有 %1 字节，即至少 %2 个词元，上下文只能容纳 %3 个；请缩短对话或增大上下文</translation>
    </message>
    <message>
        <source>the whole cache would take %1 MiB for a moment, %2 MiB are left below cache_limit</source>
        <translation>完整缓存会暂时占用 %1 MiB，cache_limit 之下仅剩 %2 MiB</translation>
    </message>
    <message>
        <source>tokens %1 to %2 are no part of this conversation, whose cache covers %3</source>
        <translation>词元 %1 至 %2 不属于此对话，其缓存涵盖 %3 个</translation>
    </message>
    <message>
        <source>older tokens of this conversation were given up to make room in the context, so that its cache is of no text that could be read again</source>
        <translation>此对话较旧的词元已被放弃以腾出上下文，其缓存不再对应可重读的文本</translation>
    </message>
    <message>
        <source>there is not enough memory for the next step of this answer</source>
        <translation>内存不足以进行此回答的下一步</translation>
    </message>
    <message>
        <source>there is not enough memory for this step</source>
        <translation>内存不足以进行此步骤</translation>
    </message>
    <message>
        <source>there is not enough memory to compact this conversation</source>
        <translation>内存不足以压缩此对话</translation>
    </message>
    <message>
        <source>the conversation is read anew</source>
        <translation>重新读取对话</translation>
    </message>
    <message>
        <source>the prompt has nothing in common with what the cache held</source>
        <translation>提示词与缓存内容毫无共同之处</translation>
    </message>
    <message>
        <source>window passed</source>
        <translation>超出窗口</translation>
    </message>
    <message>
        <source>%1: the cache can go back %2 tokens and %3 are needed (%4), so the prompt is read anew</source>
        <translation>%1：缓存可回退 %2 个词元，需要 %3 个（%4），因此重新读取提示词</translation>
    </message>
    <message>
        <source>the answer begins from what is stored</source>
        <translation>回答从存储的内容开始</translation>
    </message>
    <message>
        <source>the threads were replaced</source>
        <translation>线程已更换</translation>
    </message>
    <message>
        <source>%1 tokens more lie on disk, and reading them is predicted to take %2 ms, computing them %3</source>
        <translation>磁盘上还有 %1 个词元，预计读取需 %2 ms，计算需 %3</translation>
    </message>
    <message>
        <source>pages of this text on disk are damaged or gone</source>
        <translation>此文本在磁盘上的页已损坏或丢失</translation>
    </message>
    <message>
        <source>a stored text has %1 tokens in common, fewer than the %2 that are worth it</source>
        <translation>存储的文本有 %1 个共同词元，少于值得复用的 %2 个</translation>
    </message>
    <message>
        <source>a stored text has %1 tokens in common and cannot be cut back below %2: %3</source>
        <translation>存储的文本有 %1 个共同词元，但无法回退到 %2 以下：%3</translation>
    </message>
    <message>
        <source>the limit is kept</source>
        <translation>遵守上限</translation>
    </message>
    <message>
        <source>auto is %1</source>
        <translation>auto 为 %1</translation>
    </message>
    <message>
        <source>auto is %1, as recorded</source>
        <translation>auto 为 %1（已记录）</translation>
    </message>
    <message>
        <source>the caches reached the limit of %1</source>
        <translation>缓存达到上限 %1</translation>
    </message>
    <message>
        <source>The cache of a conversation nobody waits for was given back: %1.</source>
        <translation>已释放一个无人等待的对话的缓存：%1。</translation>
    </message>
    <message>
        <source>the caches hold %1 and the next step needs %2 more, above the limit of %3</source>
        <translation>缓存占 %1，下一步还需 %2，超出上限 %3</translation>
    </message>
    <message>
        <source>choose a method of compaction, raise cache_limit or begin a new conversation</source>
        <translation>请选择压缩方法、提高 cache_limit 或开始新对话</translation>
    </message>
    <message>
        <source>compaction keeps %1 slots a head at least: raise cache_limit, lower keep_recent or begin a new conversation</source>
        <translation>压缩每头至少保留 %1 个槽位：请提高 cache_limit、降低 keep_recent 或开始新对话</translation>
    </message>
    <message>
        <source>%1 am</source>
        <translation>%1 am</translation>
    </message>
    <message>
        <source>Every token in 16 bits: what the others are measured against.</source>
        <translation>每个词元均为 16 位：其他格式以此为基准。</translation>
    </message>
    <message>
        <source>Keys in 8 bits, values in 4: errors of keys move the attention, those of values average out. Values in 8 bits where 4 were measured not to pass.</source>
        <translation>键 8 位，值 4 位：键的误差会移动注意力，值的误差会相互抵消。实测 4 位未通过时值用 8 位。</translation>
    </message>
    <message>
        <source>Keys in 5 bits where they were measured to pass, else 6; values in 4. Where it was measured which layers extra bits save most: 4 bits and a quarter more, if that passes.</source>
        <translation>实测通过时键 5 位，否则 6 位；值 4 位。已测得哪些层最受益于额外位数时：若能通过，则为 4 位再加四分之一位。</translation>
    </message>
    <message>
        <source>Long chat</source>
        <translation>长对话</translation>
    </message>
    <message>
        <source>Safe, or 4 bits and a quarter more where Balanced has those, and once half of the context is filled the least needed tokens go.</source>
        <translation>同“安全”，或在“均衡”可用时为 4 位加四分之一位；上下文填满一半后，最不需要的词元被移除。</translation>
    </message>
    <message>
        <source>Safe, and four slots become one by attention matching; takes work in the background.</source>
        <translation>同“安全”，并用注意力匹配将四个槽位合为一个；在后台工作。</translation>
    </message>
    <message>
        <source>the table of formats has no %1; it has %2</source>
        <translation>格式表中没有 %1；有 %2</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>there is not enough memory for both</source>
        <translation>内存不足以容纳两者</translation>
    </message>
    <message>
        <source>%1 bits</source>
        <translation>%1 位</translation>
    </message>
    <message>
        <source>%1 keys and %2 values</source>
        <translation>%1 键和 %2 值</translation>
    </message>
    <message>
        <source>both take %1 until then, and cache_limit leaves %2</source>
        <translation>在此之前两者占 %1，cache_limit 只剩 %2</translation>
    </message>
    <message>
        <source>The cache of conversation %1 goes from %2 to %3: what was rounded away so far stays lost, and only tokens that come from now on are kept as finely as that.</source>
        <translation>对话 %1 的缓存由 %2 改为 %3：此前舍去的部分无法恢复，只有之后的词元以此精度保存。</translation>
    </message>
    <message>
        <source>The cache of conversation %1 is in %2 now: %3 instead of %4. Its rows were coded again in %5 slices of %6 ms at most.</source>
        <translation>对话 %1 的缓存现为 %2：%3，原为 %4。其行分 %5 片重新编码，每片最长 %6 ms。</translation>
    </message>
    <message>
        <source>The number format of the cache of conversation %1 stays as it was until its next question, which reads the text again: %2</source>
        <translation>对话 %1 缓存的数值格式保持到下个问题（届时重读文本）：%2</translation>
    </message>
    <message>
        <source>this conversation has no cache yet</source>
        <translation>此对话还没有缓存</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>it was broken off here</source>
        <translation>在此中断</translation>
    </message>
    <message>
        <source>there is not enough memory for it</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>an answer was asked for; its text is read again after it</source>
        <translation>已请求回答；之后再重读其文本</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>the model was given back</source>
        <translation>模型已释放</translation>
    </message>
    <message>
        <source>There was not enough memory for what was asked; it was not done.</source>
        <translation>内存不足，所请求的操作未执行。</translation>
    </message>
    <message>
        <source>the conversation was given up</source>
        <translation>对话已放弃</translation>
    </message>
    <message>
        <source>the engine ran out of memory and has stopped.</source>
        <translation>引擎内存耗尽并已停止。</translation>
    </message>
    <message>
        <source>something was thrown that is no error.</source>
        <translation>抛出了非错误的内容。</translation>
    </message>
    <message>
        <source>the cache it takes has %1 MiB, and cache_limit leaves %2</source>
        <translation>所需缓存为 %1 MiB，cache_limit 只剩 %2</translation>
    </message>
    <message>
        <source>The measurement of the model&apos;s heads could not be kept: %1. It counts until the program ends.</source>
        <translation>未能保存模型各头的测量结果：%1。有效至程序结束。</translation>
    </message>
    <message>
        <source>The heads of this model were not measured: %1. Attention matching divides slots by %2.</source>
        <translation>此模型的各头未测量：%1。注意力匹配按%2分配槽位。</translation>
    </message>
    <message>
        <source>their copy scores</source>
        <translation>其复制得分</translation>
    </message>
    <message>
        <source>for %1 answers at once</source>
        <translation>供 %1 个回答同时使用</translation>
    </message>
    <message>
        <source>with room for compactions in the background</source>
        <translation>含后台压缩的空间</translation>
    </message>
    <message>
        <source>with the shadow of live quality</source>
        <translation>含实时质量的影子缓存</translation>
    </message>
    <message>
        <source>with %1 MiB of prefix cache</source>
        <translation>含 %1 MiB 前缀缓存</translation>
    </message>
    <message>
        <source>with room to read a text again for its queries</source>
        <translation>含为查询重读文本的空间</translation>
    </message>
    <message>
        <source>below the limit of %1 MiB</source>
        <translation>在上限 %1 MiB 之内</translation>
    </message>
    <message>
        <source>The memory of this machine is not known.</source>
        <translation>此机器的内存未知。</translation>
    </message>
    <message>
        <source>The weights need %1 MiB and %2 MiB are free: take a smaller file of this model, or close other programs.</source>
        <translation>权重需要 %1 MiB，空闲 %2 MiB：请使用此模型更小的文件，或关闭其他程序。</translation>
    </message>
    <message>
        <source>The weights fit.</source>
        <translation>权重放得下。</translation>
    </message>
    <message>
        <source>The trained context of %1 tokens fits with an F16 cache%2.</source>
        <translation>采用 F16 缓存可容纳 %1 个词元的训练上下文%2。</translation>
    </message>
    <message>
        <source>An F16 cache has room for %1 of the %2 tokens of the trained context%3; set a token budget, a smaller context or fewer answers at once.</source>
        <translation>F16 缓存可容纳训练上下文 %2 个词元中的 %1 个%3；请设置词元预算、更小的上下文或更少的同时回答。</translation>
    </message>
    <message>
        <source>the settings do not suit %1</source>
        <translation>设置不适合 %1</translation>
    </message>
    <message>
        <source>The system gave %1 of %2 compute threads; answers are slower.</source>
        <translation>系统只提供了 %2 个计算线程中的 %1 个；回答会变慢。</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Loads</source>
        <translation>可加载</translation>
    </message>
    <message>
        <source>no: %1</source>
        <translation>否：%1</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Container</source>
        <translation>容器</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>File type</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>Trained context</source>
        <translation>训练上下文</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>not stated in the file</source>
        <translation>文件中未说明</translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation>指纹</translation>
    </message>
    <message>
        <source>Computation</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Eviction policy</source>
        <translation>驱逐策略</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>%1, %2 a token, inner width %3</source>
        <translation>%1，每词元 %2，内部宽度 %3</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>%1 tensors, %2</source>
        <translation>%1 个张量，%2</translation>
    </message>
    <message>
        <source>KV cache, bytes per token</source>
        <translation>KV 缓存，每词元字节</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>not usable: %1</source>
        <translation>无法使用：%1</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>对话模板</translation>
    </message>
    <message>
        <source>none in the file; a built-in one is used</source>
        <translation>文件中没有；使用内置模板</translation>
    </message>
    <message>
        <source>%1 bytes%2%3</source>
        <translation>%1 字节%2%3</translation>
    </message>
    <message>
        <source>%1 conversation%2</source>
        <translation>%1 个对话%2</translation>
    </message>
    <message>
        <source>compacted in the background (%1 % beside each)</source>
        <translation>后台压缩（各附加 %1 %）</translation>
    </message>
    <message>
        <source>the shadow of live quality</source>
        <translation>实时质量的影子缓存</translation>
    </message>
    <message>
        <source>caches of at most %1</source>
        <translation>缓存至多 %1</translation>
    </message>
    <message>
        <source>Memory plan for this machine</source>
        <translation>此机器的内存规划</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>%1 free of %2</source>
        <translation>空闲 %1，共 %2</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>%1, copied from the file</source>
        <translation>%1，从文件复制</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>%1 for steps of %2 tokens</source>
        <translation>%1，每步 %2 个词元</translation>
    </message>
    <message>
        <source>Held at once</source>
        <translation>同时持有</translation>
    </message>
    <message>
        <source>%1 cache</source>
        <translation>%1 缓存</translation>
    </message>
    <message>
        <source>%1 at the trained context, %2 in all, %3</source>
        <translation>训练上下文时 %1，合计 %2，%3</translation>
    </message>
    <message>
        <source>room for %1 tokens</source>
        <translation>可容纳 %1 个词元</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>no model is loaded; load one before measuring</source>
        <translation>未加载模型；请在测量前加载</translation>
    </message>
    <message>
        <source>the measurement was stopped</source>
        <translation>测量已停止</translation>
    </message>
    <message>
        <source>the model was given up</source>
        <translation>模型已放弃</translation>
    </message>
    <message>
        <source>both sides are computed with the precision that is in force; set it for all</source>
        <translation>两边均按当前精度计算；请对全部设置</translation>
    </message>
    <message>
        <source>this conversation has no cache to estimate with</source>
        <translation>此对话没有可用于估计的缓存</translation>
    </message>
    <message>
        <source>another calibration was begun</source>
        <translation>已开始另一次校准</translation>
    </message>
    <message>
        <source>no model is loaded; load one before calibrating</source>
        <translation>未加载模型；请在校准前加载</translation>
    </message>
    <message>
        <source>the cache of a window takes %1 MiB, and cache_limit leaves %2</source>
        <translation>一个窗口的缓存占 %1 MiB，cache_limit 只剩 %2</translation>
    </message>
    <message>
        <source>the calibration was stopped</source>
        <translation>校准已停止</translation>
    </message>
    <message>
        <source>conversation %1, which has cache settings of its own</source>
        <translation>对话 %1（有自己的缓存设置）</translation>
    </message>
    <message>
        <source>It does not suit %1: %2</source>
        <translation>不适合 %1：%2</translation>
    </message>
    <message>
        <source>The context is %1 tokens instead of %2, because the cache must fit this machine&apos;s memory.</source>
        <translation>上下文为 %1 个词元而非 %2 个，因为缓存须放入此机器的内存。</translation>
    </message>
    <message>
        <source>The cache settings of %1 do not suit this model and were given up: %2</source>
        <translation>%1 的缓存设置不适合此模型，已放弃：%2</translation>
    </message>
    <message>
        <source>an answer of this conversation is being written; wait for its end</source>
        <translation>正在生成此对话的回答；请等待其结束</translation>
    </message>
    <message>
        <source>the cache of this conversation is not yet of the settings; ask again after its next answer</source>
        <translation>此对话的缓存尚未符合设置；请在下个回答后再试</translation>
    </message>
    <message>
        <source>a compaction of this conversation is going on in the background; ask again after its end</source>
        <translation>此对话正在后台压缩；请在其结束后再试</translation>
    </message>
    <message>
        <source>%1; only reading the text again gives these tokens back</source>
        <translation>%1；只有重读文本才能取回这些词元</translation>
    </message>
    <message>
        <source>The context of %1 tokens was full: %2 older ones were given up.</source>
        <translation>上下文 %1 个词元已满：放弃了 %2 个较旧的词元。</translation>
    </message>
    <message>
        <source>the prompt has token %1; the vocabulary has 0 to %2</source>
        <translation>提示词含词元 %1；词表为 0 至 %2</translation>
    </message>
    <message>
        <source>The answer was stopped, because the model was replaced.</source>
        <translation>模型已更换，回答已停止。</translation>
    </message>
    <message>
        <source>there is not enough memory to begin this answer</source>
        <translation>内存不足，无法开始此回答</translation>
    </message>
    <message>
        <source>no model is loaded; load one before sending a message</source>
        <translation>未加载模型；请在发送消息前加载</translation>
    </message>
    <message>
        <source>the cache type or window was changed, so the prompt is read anew</source>
        <translation>缓存类型或窗口已更改，因此重新读取提示词</translation>
    </message>
    <message>
        <source>the cache of this conversation was given back to make room for others</source>
        <translation>此对话的缓存已释放，为其他对话腾出空间</translation>
    </message>
    <message>
        <source>The draft model proposes nothing more: %1</source>
        <translation>草稿模型不再提议：%1</translation>
    </message>
    <message>
        <source>the answer was stopped</source>
        <translation>回答已停止</translation>
    </message>
    <message>
        <source>memory ran out</source>
        <translation>内存耗尽</translation>
    </message>
    <message>
        <source>there is not enough memory for this</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>cannot open %1: %2</source>
        <translation>无法打开 %1：%2</translation>
    </message>
    <message>
        <source>%1 is not a regular file (a folder, pipe or device)</source>
        <translation>%1 不是普通文件（而是文件夹、管道或设备）</translation>
    </message>
    <message>
        <source>cannot map %1: %2</source>
        <translation>无法映射 %1：%2</translation>
    </message>
    <message>
        <source>cannot map %1: %2 files are mapped already</source>
        <translation>无法映射 %1：已映射 %2 个文件</translation>
    </message>
    <message>
        <source>%1 changed on disk while it was in use; load it again</source>
        <translation>%1 在使用期间于磁盘上发生变化；请重新加载</translation>
    </message>
    <message>
        <source>%1 has %2 bytes; at most %3 are read</source>
        <translation>%1 有 %2 字节；最多读取 %3</translation>
    </message>
    <message>
        <source>%1 ended after %2 of %3 bytes</source>
        <translation>%1 在 %3 字节中的第 %2 字节处结束</translation>
    </message>
    <message>
        <source>cannot %1 %2: %3</source>
        <translation>%2：%1失败：%3</translation>
    </message>
    <message>
        <source>%1 is no regular file and is not replaced by one</source>
        <translation>%1 不是普通文件，不会被替换</translation>
    </message>
    <message>
        <source>sync the folder</source>
        <translation>同步文件夹</translation>
    </message>
    <message>
        <source>set the mode of</source>
        <translation>设置权限</translation>
    </message>
    <message>
        <source>%1 would replace what it is made from (%2); choose another file</source>
        <translation>%1 会覆盖其来源（%2）；请选择其他文件</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Safe</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Compact</source>
        <translation>紧凑</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>正常结束</translation>
    </message>
    <message>
        <source>stop string</source>
        <translation>停止串</translation>
    </message>
    <message>
        <source>length</source>
        <translation>达到长度</translation>
    </message>
    <message>
        <source>context full</source>
        <translation>上下文已满</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头数</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>头维度</translation>
    </message>
    <message>
        <source>Feed forward</source>
        <translation>前馈维度</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Tied embeddings</source>
        <translation>共享嵌入</translation>
    </message>
    <message>
        <source>QKV bias</source>
        <translation>QKV 偏置</translation>
    </message>
    <message>
        <source>QK norm</source>
        <translation>QK 归一化</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>RMS epsilon</source>
        <translation>RMS ε</translation>
    </message>
    <message>
        <source>Layers with window</source>
        <translation>带窗口的层</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>before attention and feed-forward</source>
        <translation>在注意力和前馈之前</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>%1 tokens were read from disk as %2 keeps them: close to what was computed, not bit for bit (lacuna tier codec)</source>
        <translation>从磁盘读取了 %1 个按 %2 保存的词元：接近计算结果，但不是逐位相同（lacuna tier codec）</translation>
    </message>
    <message>
        <source>a page on disk of this text is not used: %1</source>
        <translation>此文本在磁盘上的一页未被使用：%1</translation>
    </message>
    <message>
        <source>%1 of the tokens that were brought back or pinned no longer fit and are forgotten like others</source>
        <translation>%1 个取回或固定的词元已放不下，将与其他词元一样被遗忘</translation>
    </message>
    <message>
        <source>%1 tokens that were brought back or pinned are more than compactions with these settings can keep as they are, which is %2; choose fewer, or compact less</source>
        <translation>%1 个取回或固定的词元超过了这些设置下压缩所能原样保留的数量（%2）；请少选一些，或减轻压缩</translation>
    </message>
    <message>
        <source>message %1 is pinned; the conversation has %2</source>
        <translation>固定的是消息 %1；此对话有 %2 条</translation>
    </message>
    <message>
        <source>bytes %1 to %2 of message %3 are pinned; it has %4</source>
        <translation>固定的是消息 %3 的字节 %1 到 %2；它有 %4 个字节</translation>
    </message>
    <message>
        <source>the tokenizer of this model changes the text it reads, so that token %1 cannot be found in it; words cannot be pinned</source>
        <translation>此模型的分词器会改动所读文本，因此在其中找不到词元 %1；无法固定词语</translation>
    </message>
    <message>
        <source>other words are pinned now</source>
        <translation>现在固定了其他词语</translation>
    </message>
    <message>
        <source>prefix_cache and prefix_disk are 0</source>
        <translation>prefix_cache 和 prefix_disk 都是 0</translation>
    </message>
    <message>
        <source>Bring back for questions</source>
        <translation>为问题找回</translation>
    </message>
    <message>
        <source>Before an answer, the question is read over the whole text as well, where it is still kept (prefix_cache, prefix_disk), to see which forgotten tokens it looks for. ask names them; auto brings them back, at most within what compactions may keep. Costs a second reading of the question and of the answer before it, and a compaction where something comes back.</source>
        <translation>回答之前，若整段文本仍有保存（prefix_cache、prefix_disk），问题还会在整段文本上再读一遍，以查明它在寻找哪些被遗忘的词元。ask 只列出它们；auto 将其找回，数量不超过压缩可以保留的范围。代价是把问题和之前的回答再读一遍，有内容找回时还要压缩一次。</translation>
    </message>
    <message>
        <source>no tokens were named to bring back</source>
        <translation>没有指定要找回的词元</translation>
    </message>
    <message>
        <source>what is stored of its prompt is being read</source>
        <translation>正在读取其提示词已保存的部分</translation>
    </message>
    <message>
        <source>older tokens of this conversation were given up to make room in the context</source>
        <translation>为了在上下文中腾出空间，此对话较早的词元已被放弃</translation>
    </message>
    <message>
        <source>compactions with these settings read the whole text again, which takes too long between a question and its answer</source>
        <translation>这些设置下的压缩会重新读取整段文本，在问题与回答之间耗时过长</translation>
    </message>
    <message>
        <source>%1 tokens would be read again for it, in about %2 s; allowed between a question and its answer are %3 tokens and %4 s</source>
        <translation>为此需要重新读取 %1 个词元，约 %2 秒；问题与回答之间允许 %3 个词元和 %4 秒</translation>
    </message>
    <message>
        <source>nothing is kept of a private conversation</source>
        <translation>私密对话不会保存任何内容</translation>
    </message>
    <message>
        <source>no start of this text is kept as it was before it was compacted</source>
        <translation>此文本没有任何开头部分按压缩前的样子保存</translation>
    </message>
    <message>
        <source>no folder was named for what is kept on disk</source>
        <translation>没有为保存在磁盘上的内容指定文件夹</translation>
    </message>
    <message>
        <source>no folder was named for it</source>
        <translation>没有为此指定文件夹</translation>
    </message>
    <message>
        <source>How closely rows are kept on disk stays as it was: %1.</source>
        <translation>磁盘上行的保存精度保持不变：%1。</translation>
    </message>
    <message>
        <source>Nothing is kept on disk for other conversations now: %1.</source>
        <translation>现在磁盘上不为其他对话保存任何内容：%1。</translation>
    </message>
    <message>
        <source>the cache was given back</source>
        <translation>缓存已归还</translation>
    </message>
    <message>
        <source>The cache of conversation %1 stays in %2: coding it again as %3 was cancelled at %4 % of its rows, and nothing of it has changed.</source>
        <translation>对话 %1 的缓存仍为 %2：重新编码为 %3 的过程在完成 %4 % 的行时被取消，缓存没有任何改变。</translation>
    </message>
    <message>
        <source>it was cancelled, and nothing of it has changed</source>
        <translation>已取消，没有任何改变</translation>
    </message>
    <message>
        <source>another cache took the place of this one</source>
        <translation>另一个缓存取代了它</translation>
    </message>
    <message>
        <source>the newest %1 tokens are read for what their queries look at</source>
        <translation>最新的 %1 个词元会被重新读取，以便观察其查询所关注的内容</translation>
    </message>
    <message>
        <source>the surrogate has seen %1 of %2 tokens, and they were not read again</source>
        <translation>代理看过 %2 个词元中的 %1 个，它们没有被重读</translation>
    </message>
    <message>
        <source>scores foretold by the surrogate</source>
        <translation>得分由代理预测</translation>
    </message>
    <message>
        <source>The cache of conversation %1 was coded again already when that was to be cancelled.</source>
        <translation>要取消时，对话 %1 的缓存已经重新编码完毕。</translation>
    </message>
    <message>
        <source>judged by the queries of the newest turn</source>
        <translation>按最新一轮的查询评判</translation>
    </message>
    <message>
        <source>the newest turn asked queries of %1 tokens, at least %2 are needed: those before it count as well</source>
        <translation>最新一轮只有 %1 个词元的查询，至少需要 %2 个：之前的也计入</translation>
    </message>
    <message>
        <source>no forward pass can be made now</source>
        <translation>现在无法进行前向计算</translation>
    </message>
    <message>
        <source>%1 tokens came of it, at least %2 are needed</source>
        <translation>只得到 %1 个词元，至少需要 %2 个</translation>
    </message>
    <message>
        <source>scores foretold by the surrogate, which read %1 tokens again</source>
        <translation>得分由代理预测，它重读了 %1 个词元</translation>
    </message>
    <message>
        <source>there are no scores of a repetition of the text: %1</source>
        <translation>没有重复文本的得分：%1</translation>
    </message>
    <message>
        <source>there are no scores of a repetition of the text: none were gathered</source>
        <translation>没有重复文本的得分：未收集到</translation>
    </message>
    <message>
        <source>judged by random queries</source>
        <translation>按随机查询评判</translation>
    </message>
    <message>
        <source>queries of %1 of %2 tokens were captured</source>
        <translation>已收集 %2 个词元中 %1 个的查询</translation>
    </message>
    <message>
        <source>eviction goes down to a budget</source>
        <translation>驱逐按预算进行</translation>
    </message>
    <message>
        <source>am %1x</source>
        <translation>am %1 倍</translation>
    </message>
    <message>
        <source>GGUF version %1</source>
        <translation>GGUF 版本 %1</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
    <message>
        <source>base %1</source>
        <translation>基数 %1</translation>
    </message>
    <message>
        <source>dimensions %1</source>
        <translation>维数 %1</translation>
    </message>
    <message>
        <source>pairs interleaved</source>
        <translation>交错成对</translation>
    </message>
    <message>
        <source>pairs halves</source>
        <translation>前后半成对</translation>
    </message>
    <message>
        <source>scaling none</source>
        <translation>无缩放</translation>
    </message>
    <message>
        <source>int8 in two terms</source>
        <translation>两项 int8</translation>
    </message>
    <message>
        <source>mean KL %1 from exact over %2 tokens</source>
        <translation>与精确计算的平均 KL %1（%2 个词元）</translation>
    </message>
    <message>
        <source>%1 in two terms: mean KL %2 from exact over %3 tokens</source>
        <translation>%1（两项）：与精确计算的平均 KL %2（%3 个词元）</translation>
    </message>
    <message>
        <source>%1: mean KL %2 from exact over %3 tokens</source>
        <translation>%1：与精确计算的平均 KL %2（%3 个词元）</translation>
    </message>
    <message>
        <source>int8 %1, above %2</source>
        <translation>int8 %1，高于 %2</translation>
    </message>
    <message>
        <source>nothing was evicted, merged or coded</source>
        <translation>没有驱逐、合并或编码任何内容</translation>
    </message>
    <message>
        <source>the answer ended before a token was drawn after the eviction</source>
        <translation>回答在驱逐后抽取词元之前就已结束</translation>
    </message>
    <message>
        <source>the comparison was stopped</source>
        <translation>比较已停止</translation>
    </message>
    <message>
        <source>the running text of RULER has no words</source>
        <translation>RULER 的连续文本没有词</translation>
    </message>
    <message>
        <source>nothing that is measured fits into the context of %1 tokens</source>
        <translation>要测量的内容都放不进 %1 个词元的上下文</translation>
    </message>
    <message>
        <source>compacted before the question</source>
        <translation>提问之前压缩</translation>
    </message>
    <message>
        <source>%1 dialogues of up to %2 tokens</source>
        <translation>%1 个对话，最长 %2 个词元</translation>
    </message>
    <message>
        <source>RULER at %1 tokens, %2 questions</source>
        <translation>RULER %1 个词元，%2 个问题</translation>
    </message>
    <message>
        <source>%1 windows of running text, %2 tokens followed after %3</source>
        <translation>%1 段连续文本，%3 个之后再读 %2 个词元</translation>
    </message>
    <message>
        <source>speed of %1 tokens after %2, median of %3 rounds in turn with the whole cache</source>
        <translation>%2 个之后 %1 个词元的速度，与完整缓存轮流 %3 轮取中位数</translation>
    </message>
    <message>
        <source>%1 of its tasks need a longer text</source>
        <translation>其中 %1 项任务需要更长的文本</translation>
    </message>
    <message>
        <source>%1 texts pass the model&apos;s context</source>
        <translation>%1 个文本超出模型的上下文</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>So far none of %1 formats has a mean KL below %2: keep 16 bits.</source>
        <translation>到目前为止，%1 种格式的平均 KL 都不低于 %2：请保持 16 位。</translation>
    </message>
    <message>
        <source>None of %1 formats has a mean KL below %2: keep 16 bits.</source>
        <translation>%1 种格式的平均 KL 都不低于 %2：请保持 16 位。</translation>
    </message>
    <message>
        <source>So far %1 is the smallest that passes: mean KL %2, below %3; %4 of %5 formats pass.</source>
        <translation>到目前为止，%1 是能通过的最小格式：平均 KL %2，低于 %3；%5 种格式中有 %4 种通过。</translation>
    </message>
    <message>
        <source>%1 is the smallest that passes: mean KL %2, below %3; %4 of %5 formats pass.</source>
        <translation>%1 是能通过的最小格式：平均 KL %2，低于 %3；%5 种格式中有 %4 种通过。</translation>
    </message>
    <message>
        <source>How the cache is made smaller: none, l2 (eviction by key norm, arXiv 2406.11430; without a budget it takes one of 1024) or am (attention matching, arXiv 2602.16284).</source>
        <translation>缓存缩小的方式：none、l2（按键范数驱逐，arXiv 2406.11430；没有预算时采用 1024）或 am（注意力匹配，arXiv 2602.16284）。</translation>
    </message>
    <message>
        <source>Attention matching keeps tokens / ratio slots per head on average (arXiv 2602.16284), sinks and recent tokens included. An unanswered question stays as it is, on top of that. Where protected tokens leave fewer than 16 other slots, the largest ratio that is possible is used and shown.</source>
        <translation>注意力匹配平均每个头保留“词元数 / 压缩比”个槽位（arXiv 2602.16284），包括汇聚词元和最新词元。未回答的问题另外原样保留。若受保护的词元使其他槽位少于 16 个，则采用并显示可能的最大压缩比。</translation>
    </message>
    <message>
        <source>The newest tokens, which no compaction touches.</source>
        <translation>最新的词元，任何压缩都不会触及。</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches (attention sinks, arXiv 2309.17453). A new cache of rotated codes keeps so many in 16 bits too.</source>
        <translation>最前面的词元，任何压缩都不会触及（注意力汇聚，arXiv 2309.17453）。新的旋转编码缓存也以 16 位保留同样多的词元。</translation>
    </message>
    <message>
        <source>Compact from</source>
        <translation>压缩起点</translation>
    </message>
    <message>
        <source>A conversation of fewer tokens is not compacted: there is little to gain, and its answers suffer. Only the cache limit compacts it all the same. 0 compacts any conversation.</source>
        <translation>词元更少的对话不会被压缩：收益很小，且回答会受损。只有缓存上限仍会压缩它。0 表示压缩任何对话。</translation>
    </message>
    <message>
        <source>any length</source>
        <translation>任意长度</translation>
    </message>
    <message>
        <source>a page of %1 tokens must fit beside the index</source>
        <translation>除索引外必须容得下一页 %1 个词元</translation>
    </message>
    <message>
        <source>How activations meet quantised weights. fast rounds them to 8 bits, which a small model does not always bear; exact leaves them as they are and is many times slower. auto takes the fastest of them and of 8 bits in two terms that moves what the model predicts by a mean KL of at most 0.0005. The window and the server measure that once for each model while they are idle; until then, and in commands for a model that was not measured, it is 8 bits in two terms, which every model bears. Counts from the next answer on; what the cache holds stays.</source>
        <translation>激活值如何与量化权重相乘。fast 将其舍入为 8 位，小模型不一定承受得了；exact 保持原样，但慢许多倍。auto 在它们和双项 8 位中选取使模型预测的平均 KL 变化不超过 0.0005 的最快者。窗口和服务器在空闲时为每个模型测量一次；在此之前，以及对未测量模型的命令，采用任何模型都能承受的双项 8 位。从下一个回答起生效；缓存中已有的内容保持不变。</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, no compaction in sight at this ratio</source>
        <translation>等待：每个头 %1 个槽位，以此压缩比暂不会压缩</translation>
    </message>
    <message>
        <source>%1x of the %2x asked, because %3 tokens are protected</source>
        <translation>要求 %2x，实际 %1x，因为有 %3 个词元受保护</translation>
    </message>
    <message>
        <source>this conversation has %1 tokens, and below %2 it is not compacted</source>
        <translation>此对话有 %1 个词元，少于 %2 个时不压缩</translation>
    </message>
    <message>
        <source>idle: %1 of %2 tokens, below which a conversation is not compacted</source>
        <translation>等待：%1 / %2 个词元，少于此数的对话不压缩</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, the end of the next turn decides on a compaction</source>
        <translation>等待：每个头 %1 个槽位，下一轮结束时决定是否压缩</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, the first turn stays whole until the next one has ended</source>
        <translation>等待：每个头 %1 个槽位，第一轮在下一轮结束前保持完整</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, waits for the end of this turn to compact the %2 tokens before it</source>
        <translation>等待：每个头 %1 个槽位，本轮结束时压缩其前的 %2 个词元</translation>
    </message>
    <message>
        <source>What was measured of the precision of %1 cannot be used: %2.</source>
        <translation>%1 的精度测量结果无法使用：%2。</translation>
    </message>
    <message>
        <source>auto is int8 in two terms, which every model bears, until it is measured</source>
        <translation>auto 在测量之前为任何模型都能承受的双项 int8</translation>
    </message>
    <message>
        <source>the question could not be left as it is</source>
        <translation>问题无法保持原样</translation>
    </message>
    <message>
        <source>any other policy</source>
        <translation>任何其他策略</translation>
    </message>
    <message>
        <source>the rotary angles of %1 follow the length of the text, so that queries to come cannot be foretold</source>
        <translation>%1 的旋转角度随文本长度变化，因此无法预测未来的查询</translation>
    </message>
    <message>
        <source>Limit on the loss</source>
        <translation>损失上限</translation>
    </message>
    <message>
        <source>What a compaction may lose, measured before it is carried out: the model repeats its text with the full and with the compacted cache. Where the asked ratio loses more, the largest ratio that keeps the limit is used, or none, and the compaction says so. balanced and strict are to keep 98 and 99.5 % of the answers; a number is the least share of the text&apos;s information, 0 to 1. A compaction that is due waits for the end of the answer. off carries out what is asked. The cache limit does not wait.</source>
        <translation>压缩允许的损失，在执行之前测量：模型分别用完整缓存和压缩后的缓存复述文本。若要求的压缩比损失更多，则采用符合上限的最大压缩比，或不压缩，并在结果中说明。balanced 和 strict 旨在保留 98 % 和 99.5 % 的回答；数字表示文本信息的最小保留比例，0 到 1。到期的压缩等待回答结束。off 按要求执行。缓存上限不等待。</translation>
    </message>
    <message>
        <source>Which keys an l2 eviction keeps: low norms (arXiv 2406.11430), high norms, those least like the others (KeyDiff, arXiv 2504.15364), those that the newest 64 queries look at (observation_window, SnapKV, arXiv 2404.14469) or all queries looked at (accumulated_attention, H2O, arXiv 2306.14048; reads the cache twice for every token), those that a repetition of the text looks at (reconstruct, KVzip, arXiv 2505.23416; up to three readings, see background, and where there is no room for them KeyDiff chooses and the compaction says so) or that queries to come are expected to look at (expected_attention, arXiv 2510.00636; tri_attention, arXiv 2604.04921, by the distance to a key and the centres of the model&apos;s queries, for long answers; lacuna calibrate-kv --query-centres calibrates them, else those of the conversation count), or the controls recent_only and random. auto is reconstruct, foretold where the model has a surrogate and by a repetition in pauses until then; where neither is to be had, as in the middle of an answer, what recall was best with for the family of the model.</source>
        <translation>l2 驱逐保留哪些键：小范数（arXiv 2406.11430）、大范数、与其他最不相似的（KeyDiff，arXiv 2504.15364）、最新 64 个查询所看的（observation_window，SnapKV，arXiv 2404.14469）或所有查询看过的（accumulated_attention，H2O，arXiv 2306.14048；每个词元读取缓存两次）、复述文本时所看的（reconstruct，KVzip，arXiv 2505.23416；最多读取三次，见 background，空间不足时由 KeyDiff 选择并在压缩结果中说明）或预计未来查询会看的（expected_attention，arXiv 2510.00636；tri_attention，arXiv 2604.04921，按到键的距离与模型查询的中心，适用于长回答；lacuna calibrate-kv --query-centres 进行校准，否则采用对话中的查询），或对照 recent_only 和 random。auto 为 reconstruct：模型有代理时预测得分，在此之前于停顿时通过复述得到；两者都不可用时（如回答途中），采用该模型系列召回最好的策略。</translation>
    </message>
    <message>
        <source>Who gets the slots of an am compaction: all heads the same, those that look widely, those whose error falls most, or those that fetch what stands far back, measured once per model: task_free on random tokens read twice, questions (a bench option) with questions about texts; or, by text, those that a repetition of it looks at most, halfway to task_free where the model was measured so (reconstruction, up to three readings, see background). auto is reconstruction, foretold where the model has a surrogate and by a repetition in pauses until then; where neither is to be had, as in the middle of an answer, task_free where the model was measured so, else coverage.</source>
        <translation>am 压缩的槽位分给谁：所有头相同、看得广的头、误差下降最多的头，或取回远处内容的头（每个模型测量一次：task_free 用读两遍的随机词元，questions 为测试选项，用关于文本的问题）；或按文本分给复述时看得最多的头，若模型测量过则与 task_free 折中（reconstruction，最多读取三次，见 background）。auto 为 reconstruction：模型有代理时预测得分，在此之前于停顿时通过复述得到；两者都不可用时（如回答途中），测量过则为 task_free，否则为 coverage。</translation>
    </message>
    <message>
        <source>Where norm_policy=reconstruct and head_budgets=reconstruction have their scores. repetition: the text is repeated, up to three readings, see background. surrogate: one linear map a layer, fitted once to the model (by itself while the engine is idle, or by lacuna calibrate-kv --surrogate), foretells them while the text is read, and nothing waits. auto is surrogate where the model has one.</source>
        <translation>norm_policy=reconstruct 与 head_budgets=reconstruction 的得分来源。repetition：复述文本，最多读取三次，见 background。surrogate：每层一个线性映射，为模型拟合一次（引擎空闲时自动进行，或用 lacuna calibrate-kv --surrogate），在读取文本时预测得分，无需等待。模型有代理时 auto 为 surrogate。</translation>
    </message>
    <message>
        <source>%1, or a number from %2 to %3</source>
        <translation>%1，或 %2 到 %3 的数字</translation>
    </message>
    <message>
        <source>auto is reconstruct by a repetition of the text, in pauses, until a surrogate is fitted to the model; in the middle of an answer %1 chooses</source>
        <translation>在为模型拟合代理之前，auto 为停顿时通过复述文本的 reconstruct；回答途中由 %1 选择</translation>
    </message>
    <message>
        <source>the cache limit does not wait for loss_limit</source>
        <translation>缓存上限不等待 loss_limit</translation>
    </message>
    <message>
        <source>the measuring of its loss was cancelled</source>
        <translation>其损失的测量已取消</translation>
    </message>
    <message>
        <source>its loss could not be measured: %1</source>
        <translation>无法测量其损失：%1</translation>
    </message>
    <message>
        <source>its loss is measured first</source>
        <translation>先测量其损失</translation>
    </message>
    <message>
        <source>its loss is measured first, when this answer has ended; it follows then</source>
        <translation>先在此回答结束后测量其损失；随后进行</translation>
    </message>
    <message>
        <source>the model&apos;s query centres are not calibrated, so those of this conversation were used</source>
        <translation>模型的查询中心未校准，因此采用了此对话的</translation>
    </message>
    <message>
        <source>an answer was asked for; its loss is measured after it</source>
        <translation>有回答请求；其损失在回答之后测量</translation>
    </message>
    <message>
        <source>another comparison was begun</source>
        <translation>已开始另一次比较</translation>
    </message>
    <message>
        <source>the number of threads was changed meanwhile, so the two sides could not be compared; compare again</source>
        <translation>期间线程数被更改，无法比较两侧；请重新比较</translation>
    </message>
    <message>
        <source>the model was unloaded</source>
        <translation>模型已卸载</translation>
    </message>
    <message>
        <source>another sweep was begun</source>
        <translation>已开始另一次扫描</translation>
    </message>
    <message>
        <source>there are no settings to try</source>
        <translation>没有可尝试的设置</translation>
    </message>
    <message>
        <source>the sweep was stopped</source>
        <translation>扫描已停止</translation>
    </message>
    <message>
        <source>no method is chosen</source>
        <translation>未选择方法</translation>
    </message>
    <message>
        <source>no budget is set, so nothing is ever evicted</source>
        <translation>未设预算，因此不会驱逐</translation>
    </message>
    <message>
        <source>an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>AM 压缩比为 1 会保留每个词元，且未设预算</translation>
    </message>
    <message>
        <source>no head has more slots than the target</source>
        <translation>没有头的槽位多于目标</translation>
    </message>
    <message>
        <source>no ratio keeps loss_limit=%1: already at %2x only %3 % of the text&apos;s information would be kept, and %4 % of the weakest passage; the cache stays as it is</source>
        <translation>没有压缩比能满足 loss_limit=%1：%2x 时就只保留文本信息的 %3 % 和最弱段落的 %4 %；缓存保持原样</translation>
    </message>
    <message>
        <source>%1x of the %2x asked: at more the text would lose more than loss_limit=%3 allows</source>
        <translation>要求 %2x，实际 %1x：再多则文本的损失会超过 loss_limit=%3 所允许的</translation>
    </message>
    <message>
        <source>judged by the queries of the text, read again, %1 tokens of it</source>
        <translation>按重读文本时的查询评判，其中 %1 个词元</translation>
    </message>
    <message>
        <source>judged by the queries of a repetition of the text, %1 tokens of it</source>
        <translation>按重复文本时的查询评判，其中 %1 个词元</translation>
    </message>
    <message>
        <source>there are no queries of the text, read again: %1</source>
        <translation>没有重读文本的查询：%1</translation>
    </message>
    <message>
        <source>there are no queries of a repetition of the text: %1</source>
        <translation>没有重复文本的查询：%1</translation>
    </message>
    <message>
        <source>scored by a repetition of the text, %1 tokens in %2 pieces</source>
        <translation>按重复文本评分，%1 个词元，分 %2 段</translation>
    </message>
    <message>
        <source>the surrogate has seen %1 of %2 tokens, and they were not read again: %3</source>
        <translation>代理看过 %2 个词元中的 %1 个，它们没有被重读：%3</translation>
    </message>
    <message>
        <source>idle: %1 of %2 slots per head; compaction starts after %3 more tokens</source>
        <translation>等待：每个头 %1 / %2 个槽位；再过 %3 个词元后开始压缩</translation>
    </message>
    <message>
        <source>due: %1 slots per head, compacting to %2</source>
        <translation>到期：每个头 %1 个槽位，压缩到 %2</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its loss is measured first, when this answer has ended</source>
        <translation>到期：每个头 %1 个槽位，此回答结束后先测量其损失</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its loss is measured first, when the next answer has ended</source>
        <translation>到期：每个头 %1 个槽位，下一个回答结束后先测量其损失</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its text is read again first, when this answer has ended</source>
        <translation>到期：每个头 %1 个槽位，此回答结束后先重读其文本</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its text is read again first, when the next answer has ended</source>
        <translation>到期：每个头 %1 个槽位，下一个回答结束后先重读其文本</translation>
    </message>
    <message>
        <source>compacting in the background, %1 %</source>
        <translation>正在后台压缩，%1 %</translation>
    </message>
    <message>
        <source>reading the text again, %1 %</source>
        <translation>正在重读文本，%1 %</translation>
    </message>
    <message>
        <source>measuring the loss, %1 %</source>
        <translation>正在测量损失，%1 %</translation>
    </message>
    <message>
        <source>scored by a repetition of the text, %1 tokens in one piece</source>
        <translation>按重复文本评分，%1 个词元，一段</translation>
    </message>
    <message>
        <source>idle: %1 of %2 slots per head; compaction starts after 1 more token</source>
        <translation>等待：每个头 %1 / %2 个槽位；再过 1 个词元后开始压缩</translation>
    </message>
    <message>
        <source>the text is not in the cache any more</source>
        <translation>文本已不在缓存中</translation>
    </message>
    <message>
        <source>%1: the folder cannot be made: %2</source>
        <translation>%1：无法创建文件夹：%2</translation>
    </message>
    <message>
        <source>the cache was measured as it is</source>
        <translation>按现状测量了缓存</translation>
    </message>
    <message>
        <source>its number format alone loses more than loss_limit=%1 allows; more bits for keys and values keep more</source>
        <translation>仅其数字格式的损失就超过 loss_limit=%1 的允许；键和值用更多位可保留更多</translation>
    </message>
    <message>
        <source>queries of %1 are normed once they are rotated, so that those to come cannot be foretold</source>
        <translation>%1 的查询在旋转之后才归一化，因此无法预知将来的查询</translation>
    </message>
    <message>
        <source>Every so many tokens of an answer the compacted cache is compared with an uncompressed one, which takes time and its memory. 0 compares a few tokens of an answer in the pause after it.</source>
        <translation>回答中每隔如此多词元将压缩后的缓存与未压缩的比较，这需要时间和未压缩缓存的内存。0 表示在回答之后的空闲时比较其中几个词元。</translation>
    </message>
</context>
<context>
    <name>EngineReplies</name>
    <message>
        <source>the list of models is not JSON.</source>
        <translation>模型列表不是 JSON。</translation>
    </message>
    <message>
        <source>there is no list of models in it.</source>
        <translation>其中没有模型列表。</translation>
    </message>
    <message>
        <source>the slots are no list.</source>
        <translation>槽位不是列表。</translation>
    </message>
    <message>
        <source>Build %1</source>
        <translation>构建 %1</translation>
    </message>
    <message>
        <source>Model file %1</source>
        <translation>模型文件 %1</translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation>%1 个槽位</translation>
    </message>
    <message>
        <source>Context of %1 tokens</source>
        <translation>上下文 %1 个词元</translation>
    </message>
    <message>
        <source>Empty the prefix cache</source>
        <translation>清空前缀缓存</translation>
    </message>
    <message>
        <source>Prompts that were read are forgotten; the next ones are read whole.</source>
        <translation>已读的提示词将被遗忘；之后的提示词会完整读取。</translation>
    </message>
    <message>
        <source>vLLM has this only where it was started with VLLM_SERVER_DEV_MODE=1 (and, to sleep, --enable-sleep-mode).</source>
        <translation>vLLM 仅在以 VLLM_SERVER_DEV_MODE=1 启动时提供此功能（休眠还需 --enable-sleep-mode）。</translation>
    </message>
    <message>
        <source>Send to sleep</source>
        <translation>使其休眠</translation>
    </message>
    <message>
        <source>Weights go to the memory of the machine and the cache is given up; nothing is answered until it is woken.</source>
        <translation>权重移入主机内存并放弃缓存；唤醒前不回答任何请求。</translation>
    </message>
    <message>
        <source>Wake up</source>
        <translation>唤醒</translation>
    </message>
    <message>
        <source>Weights come back; answers go on.</source>
        <translation>权重恢复；继续回答。</translation>
    </message>
    <message>
        <source>SGLang gives memory back only where it was started with --enable-memory-saver.</source>
        <translation>SGLang 仅在以 --enable-memory-saver 启动时才能归还内存。</translation>
    </message>
    <message>
        <source>Give memory back</source>
        <translation>归还内存</translation>
    </message>
    <message>
        <source>Weights and cache leave the accelerator; nothing is answered until they are taken back.</source>
        <translation>权重和缓存离开加速器；取回之前不回答任何请求。</translation>
    </message>
    <message>
        <source>Take memory again</source>
        <translation>重新占用内存</translation>
    </message>
    <message>
        <source>Weights and cache come back; answers go on.</source>
        <translation>权重和缓存恢复；继续回答。</translation>
    </message>
    <message>
        <source>Empty all slots</source>
        <translation>清空所有槽位</translation>
    </message>
    <message>
        <source>llama-server has this only where it was started with --slot-save-path.</source>
        <translation>llama-server 仅在以 --slot-save-path 启动时提供此功能。</translation>
    </message>
    <message>
        <source>Empty the caches</source>
        <translation>清空缓存</translation>
    </message>
    <message>
        <source>Caches that nobody is answered from are emptied.</source>
        <translation>清空未用于回答的缓存。</translation>
    </message>
    <message>
        <source>%1: the engine says that it could not.</source>
        <translation>%1：引擎表示无法完成。</translation>
    </message>
    <message>
        <source>%1: done, %2 caches.</source>
        <translation>%1：完成，%2 个缓存。</translation>
    </message>
    <message>
        <source>%1: done.</source>
        <translation>%1：完成。</translation>
    </message>
    <message>
        <source>Answers being written</source>
        <translation>正在生成的回答</translation>
    </message>
    <message>
        <source>Requests that wait</source>
        <translation>等待的请求</translation>
    </message>
    <message>
        <source>Cache in use</source>
        <translation>缓存使用率</translation>
    </message>
    <message>
        <source>Tokens in the cache</source>
        <translation>缓存中的词元</translation>
    </message>
    <message>
        <source>Tokens it has room for</source>
        <translation>可容纳的词元</translation>
    </message>
    <message>
        <source>Cache, uncompressed equivalent</source>
        <translation>缓存，按未压缩计</translation>
    </message>
    <message>
        <source>Cache, live</source>
        <translation>缓存，占用</translation>
    </message>
    <message>
        <source>Cache, allocated</source>
        <translation>缓存，已分配</translation>
    </message>
    <message>
        <source>Memory of the process</source>
        <translation>进程内存</translation>
    </message>
    <message>
        <source>KL against the whole cache</source>
        <translation>相对完整缓存的 KL</translation>
    </message>
    <message>
        <source>Answer tokens</source>
        <translation>回答词元</translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation>提示词词元</translation>
    </message>
    <message>
        <source>Writing speed, as it says</source>
        <translation>生成速度（自报）</translation>
    </message>
    <message>
        <source>Reading speed, as it says</source>
        <translation>读取速度（自报）</translation>
    </message>
    <message>
        <source>Prefix cache: tokens looked up</source>
        <translation>前缀缓存：查找的词元</translation>
    </message>
    <message>
        <source>Prefix cache: tokens found</source>
        <translation>前缀缓存：命中的词元</translation>
    </message>
    <message>
        <source>Prefix cache: share found, as it says</source>
        <translation>前缀缓存：命中率（自报）</translation>
    </message>
    <message>
        <source>Requests answered</source>
        <translation>已回答的请求</translation>
    </message>
    <message>
        <source>Requests put back</source>
        <translation>被推迟的请求</translation>
    </message>
    <message>
        <source>Drafted tokens</source>
        <translation>草稿词元</translation>
    </message>
    <message>
        <source>Drafted tokens taken</source>
        <translation>被采纳的草稿词元</translation>
    </message>
    <message>
        <source>Share of drafts taken, as it says</source>
        <translation>草稿采纳率（自报）</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>压缩次数</translation>
    </message>
    <message>
        <source>Waiting for compactions</source>
        <translation>等待压缩</translation>
    </message>
    <message>
        <source>Time to the first token</source>
        <translation>首词元时间</translation>
    </message>
    <message>
        <source>Time between tokens</source>
        <translation>词元间隔</translation>
    </message>
    <message>
        <source>Time of a request</source>
        <translation>请求耗时</translation>
    </message>
    <message>
        <source>Time in the queue</source>
        <translation>排队时间</translation>
    </message>
    <message>
        <source>Time of reading a prompt</source>
        <translation>读取提示词时间</translation>
    </message>
    <message>
        <source>Time of writing an answer</source>
        <translation>生成回答时间</translation>
    </message>
    <message>
        <source>Tokens of a prompt</source>
        <translation>每个提示词的词元</translation>
    </message>
    <message>
        <source>Tokens of an answer</source>
        <translation>每个回答的词元</translation>
    </message>
    <message>
        <source>LMCache: bytes in memory</source>
        <translation>LMCache：内存字节</translation>
    </message>
    <message>
        <source>LMCache: bytes on disk</source>
        <translation>LMCache：磁盘字节</translation>
    </message>
    <message>
        <source>LMCache: bytes elsewhere</source>
        <translation>LMCache：其他位置字节</translation>
    </message>
    <message>
        <source>LMCache: tokens stored</source>
        <translation>LMCache：存储的词元</translation>
    </message>
    <message>
        <source>LMCache: tokens fetched</source>
        <translation>LMCache：取回的词元</translation>
    </message>
    <message>
        <source>LMCache: share found</source>
        <translation>LMCache：命中率</translation>
    </message>
    <message>
        <source>LMCache: time of a fetch</source>
        <translation>LMCache：取回耗时</translation>
    </message>
    <message>
        <source>LMCache: dropped for want of room</source>
        <translation>LMCache：因空间不足丢弃</translation>
    </message>
    <message>
        <source>it lists more than %1 models.</source>
        <translation>它列出超过 %1 个模型。</translation>
    </message>
    <message>
        <source>the name of a model is too long or has control characters.</source>
        <translation>某个模型的名称过长或含有控制字符。</translation>
    </message>
    <message>
        <source>it lists more than %1 slots.</source>
        <translation>它列出超过 %1 个槽位。</translation>
    </message>
</context>
<context>
    <name>EngineTexts</name>
    <message>
        <source>. </source>
        <translation>。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>d MMM yyyy, HH:mm</source>
        <extracomment>Day, month and time as QLocale::toString takes them</extracomment>
        <translation>yyyy年M月d日 HH:mm</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <extracomment>Day and month as QLocale::toString takes them</extracomment>
        <translation>yyyy年M月d日</translation>
    </message>
</context>
<context>
    <name>HeatMap</name>
    <message>
        <source>Layer %1, head %2: %3 slots for %4 tokens (%5), %6</source>
        <translation>第 %1 层，第 %2 头：%4 个词元占 %3 个槽位（%5），%6</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Head %1</source>
        <translation>头 %1</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>%1. Layer %2: %3 of %4 heads hold it.</source>
        <translation>%1。第 %2 层：%4 个头中有 %3 个保留。</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Fate</source>
        <translation>去向</translation>
    </message>
    <message>
        <source>Held by</source>
        <translation>保留于</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>head</source>
        <translation>头</translation>
    </message>
    <message>
        <source>How many slots each head keeps appears here with the first prompt.</source>
        <translation>每个头保留多少槽位，在首个提示词后显示于此。</translation>
    </message>
    <message>
        <source>One cell for each key-value head of each layer. Full colour: as many slots as the conversation has tokens; paler: compaction left fewer.</source>
        <translation>每层每个键值头一格。颜色最深：槽位数等于对话词元数；较浅：压缩后剩余更少。</translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation>%1 个槽位</translation>
    </message>
    <message>
        <source>slots a head</source>
        <translation>每头槽位</translation>
    </message>
    <message>
        <source>Slots by layer and head: %1 layers of %2 heads, %3 to %4 slots for %5 tokens, %6 in all.</source>
        <translation>各层各头的槽位：%1 层 × %2 头，%5 个词元占 %3 至 %4 个槽位，共 %6。</translation>
    </message>
    <message>
        <source>Retention by token and layer</source>
        <translation>按词元和层的保留情况</translation>
    </message>
    <message>
        <source>token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>What each layer still holds of each token appears here with the first prompt.</source>
        <translation>各层对每个词元的保留情况，在首个提示词后显示于此。</translation>
    </message>
    <message>
        <source>One column for each token, one row for each layer; the darker, the more of the layer&apos;s heads still hold the token. The band above tells what became of the token as a whole.</source>
        <translation>每列一个词元，每行一层；颜色越深，该层保留此词元的头越多。上方色带表示该词元的总体去向。</translation>
    </message>
    <message>
        <source>no head</source>
        <translation>没有头</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>所有头</translation>
    </message>
    <message>
        <source>%1 evicted</source>
        <translation>%1 个被驱逐</translation>
    </message>
    <message>
        <source>of %1 tokens</source>
        <translation>共 %1 个词元</translation>
    </message>
    <message>
        <source>Retention: of %1 tokens %2 are kept everywhere, %3 merged, %4 kept in part and %5 evicted.</source>
        <translation>保留情况：%1 个词元中，%2 个全部保留，%3 个合并，%4 个部分保留，%5 个被驱逐。</translation>
    </message>
    <message>
        <source>Slots by head</source>
        <translation>各头槽位</translation>
    </message>
</context>
<context>
    <name>HubAddress</name>
    <message>
        <source>This names no model. Write it as OWNER/NAME, or give the address of a file.</source>
        <translation>这不是模型名称。请写成“所有者/名称”，或给出文件的地址。</translation>
    </message>
    <message>
        <source>This is no address of a hub. Write it like %1.</source>
        <translation>这不是模型库的地址。请写成 %1 的形式。</translation>
    </message>
    <message>
        <source>Nothing is fetched from %1: addresses begin with https://.</source>
        <translation>不会从 %1 获取：地址须以 https:// 开头。</translation>
    </message>
    <message>
        <source>An address with a name or a password in it is not fetched.</source>
        <translation>含有用户名或密码的地址不会被获取。</translation>
    </message>
    <message>
        <source>%1 would be fetched unencrypted, and anybody on the way could change it. Use https, or allow http for this download.</source>
        <translation>从 %1 获取将不加密，途中任何人都可能改动内容。请使用 https，或为此次下载允许 http。</translation>
    </message>
    <message>
        <source>The server sends elsewhere. %1</source>
        <translation>服务器转往别处。%1</translation>
    </message>
    <message>
        <source>The server sends from https to http (%1); that is not followed.</source>
        <translation>服务器从 https 转往 http (%1)；不予跟随。</translation>
    </message>
    <message>
        <source>The server sends into this machine or a private network (%1); that is not followed.</source>
        <translation>服务器转往本机或专用网络（%1）；不予跟随。</translation>
    </message>
    <message>
        <source>“%1” is no name that a file gets here: letters, digits and . _ - only, at most %2 signs.</source>
        <translation>“%1”不能用作此处的文件名：只能有字母、数字和 . _ -，最多 %2 个字符。</translation>
    </message>
</context>
<context>
    <name>HubListing</name>
    <message>
        <source>The list of files cannot be understood: %1</source>
        <translation>无法理解文件列表：%1</translation>
    </message>
    <message>
        <source>Of its %1 parts the repository has %2.</source>
        <translation>它有 %1 个部分，仓库中只有 %2 个。</translation>
    </message>
    <message>
        <source>it is no list.</source>
        <translation>它不是列表。</translation>
    </message>
    <message>
        <source>it has more than %1 entries.</source>
        <translation>它超过 %1 个条目。</translation>
    </message>
    <message>
        <source>an entry is no object.</source>
        <translation>有条目不是对象。</translation>
    </message>
    <message>
        <source>an entry has no usable path.</source>
        <translation>有条目没有可用的路径。</translation>
    </message>
</context>
<context>
    <name>DownloadRequest</name>
    <message>
        <source>Two of its files are called %1.</source>
        <translation>其中有两个文件都叫 %1。</translation>
    </message>
    <message>
        <source>A SHA-256 digest has 64 digits of 0-9 and a-f.</source>
        <translation>SHA-256 摘要由 64 个 0-9 和 a-f 的字符组成。</translation>
    </message>
</context>
<context>
    <name>SettingHelp</name>
    <message>
        <source>How the cache is made smaller. None: nothing is lost, and memory grows with every token. Evict tokens: frees memory at once and costs next to no time; what was evicted is forgotten. Attention matching: forgets far less at the same size; takes seconds of work, most of it in the background. (Eviction: arXiv 2406.11430. Attention matching: arXiv 2602.16284.)</source>
        <translation>如何缩小缓存。无：什么都不丢失，内存随每个词元增长。驱逐词元：立即释放内存，几乎不花时间；被驱逐的内容会被遗忘。注意力匹配：同样大小下遗忘少得多；需要数秒的计算，大多在后台进行。（驱逐：arXiv 2406.11430。注意力匹配：arXiv 2602.16284。）</translation>
    </message>
    <message>
        <source>How many times smaller attention matching makes the cache. More: less memory and faster answers in long conversations. Less: more is remembered exactly; up to about 4 little is lost on most texts. Sinks and recent tokens count in, and take at most an eighth. A text that is too short for its ratio is left as it is, and you are told which one would do. (arXiv 2602.16284.)</source>
        <translation>注意力匹配把缓存缩小多少倍。越大：长对话占用内存更少、回答更快。越小：记得更准确；在 4 倍以内，多数文本损失很小。汇聚词元和最近的词元计算在内，最多占八分之一。文本太短、达不到该压缩比时保持原样，并会告知可行的压缩比。（arXiv 2602.16284。）</translation>
    </message>
    <message>
        <source>So many tokens each head keeps after a compaction, however long the text. Less: memory stays small. More: more is remembered. At least sinks + keep recent + 1, at most the context; between two compactions the cache may pass it by the margin.</source>
        <translation>无论文本多长，每个头在压缩后保留这么多词元。越少：内存保持很小。越多：记得越多。至少为汇聚词元 + 保留最近 + 1，至多为上下文长度；两次压缩之间缓存可超出一个余量。</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches. Models look at them all the time: without them answers fall apart; more than a few cost memory and gain nothing. Coded caches keep them in 16 bits. (Attention sinks, arXiv 2309.17453.)</source>
        <translation>最前面的词元，任何压缩都不会触及。模型始终会关注它们：没有它们回答会崩溃；多于几个只占内存而无收益。编码缓存以 16 位保存它们。（注意力汇聚，arXiv 2309.17453。）</translation>
    </message>
    <message>
        <source>How far the cache may grow past its target before it is compacted. More: fewer pauses. Less: memory stays closer to the target. Off is an eighth of the target, between 16 and 256.</source>
        <translation>缓存在被压缩前可以超出目标多少。越大：停顿越少。越小：内存更接近目标。关闭表示目标的八分之一，介于 16 和 256 之间。</translation>
    </message>
    <message>
        <source>Whether each head chooses for itself what an eviction keeps. Alone: each keeps what it needs, and more is remembered. Together: the same tokens are held everywhere, so that it is plain what was forgotten.</source>
        <translation>每个头是否各自选择驱逐时保留什么。各自：每个头保留自己需要的，记得更多。一起：各处保留同样的词元，遗忘了什么一目了然。</translation>
    </message>
    <message>
        <source>How an eviction shares its room out among heads; the total is the same. By score: heads that look far back keep more, and more is remembered. The same for all: simple, and the largest head needs no more than the budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)</source>
        <translation>驱逐如何在各头之间分配空间；总量相同。按得分：看得远的头保留更多，记得更多。全部相同：简单，最大的头也不超过预算。（Ada-KV，arXiv 2407.11550；KVzip，arXiv 2505.23416。）</translation>
    </message>
    <message>
        <source>How attention matching shares its room out among heads; the total is the same. Measured heads: those that fetch what stands far back keep more, and facts survive; the measuring is done once for each model, while nothing is asked. The same for all: needs no measuring, and loses more.</source>
        <translation>注意力匹配如何在各头之间分配空间；总量相同。按测量：取回很早内容的头保留更多，事实得以保留；每个模型只在空闲时测量一次。全部相同：无需测量，损失更多。</translation>
    </message>
    <message>
        <source>How it is found out what a repetition of the text would look at. By repeating: exact; reads the text up to three times. Foretold: nothing waits; a little less exact, and a model must have been fitted once.</source>
        <translation>如何得知重复文本时会看哪些内容。通过重复：准确；最多读三遍文本。预测：无需等待；略不准确，且模型须预先拟合一次。</translation>
    </message>
    <message>
        <source>On: punctuation and blanks count a fifth when an eviction chooses by attention, which leaves more room for words. Off: they count like all else.</source>
        <translation>开：驱逐按注意力选择时，标点和空白按五分之一计，给词语留出更多空间。关：与其他词元同等对待。</translation>
    </message>
    <message>
        <source>Bits of the values where they differ from those of the keys. Values bear fewer bits than keys: 8 for keys and 4 for values costs most models next to nothing.</source>
        <translation>值的位数，当它与键的位数不同时。值能承受比键更少的位数：键 8 位、值 4 位对多数模型几乎没有损失。</translation>
    </message>
    <message>
        <source>So many newest tokens keep 16 bits beside their codes. More: what was just said is read exactly. Less: saves the bytes of so many tokens. 0 keeps codes alone. (KIVI, arXiv 2402.02750, keeps 128.)</source>
        <translation>这么多最新的词元除编码外还保留 16 位。越多：刚说过的内容读取得准确。越少：节省相应词元的字节。0 只保留编码。（KIVI，arXiv 2402.02750，保留 128 个。）</translation>
    </message>
    <message>
        <source>What spreads numbers before they are coded. Calibrated: fewer bits lose less, after minutes of measuring, once for each model. Hadamard: needs none. (arXiv 2605.17757.)</source>
        <translation>编码之前如何把数值打散。校准：较少的位数损失更小，每个模型需测量一次，数分钟。Hadamard：无需测量。（arXiv 2605.17757。）</translation>
    </message>
    <message>
        <source>So many bits a number more on average, in the layers where they save this model most: most of the gain of a whole bit for a part of its bytes. Needs minutes of measuring, once for each model.</source>
        <translation>平均每个数多这么多位，放在对此模型帮助最大的层：用部分字节换得整一位的大部分收益。每个模型需测量一次，数分钟。</translation>
    </message>
    <message>
        <source>Every layer keeps only the first and the newest tokens, so many in all: memory never grows. Everything in between is forgotten for good. Not together with a method or a budget. (arXiv 2309.17453.)</source>
        <translation>每层只保留最前和最新的词元，总共这么多：内存不再增长。中间的一切被永久遗忘。不能与方法或预算同时使用。（arXiv 2309.17453。）</translation>
    </message>
    <message>
        <source>Bits of each number in the cache. Fewer: a fraction of the memory, every token stays, and long conversations answer faster. Too few ruin some models without a sign: measure first (Tools menu, Cache formats of this model). What fewer bits have rounded away stays lost. t8 to t1 are rotated codes of 8 to 1 bits, q8_0 and q4_0 codes in groups, f16 is 16 bits. (Rotated codes: arXiv 2504.19874.)</source>
        <translation>缓存中每个数的位数。越少：只占一小部分内存，所有词元都保留，长对话回答更快。太少会悄无声息地毁掉某些模型：请先测量（工具菜单，此模型的缓存格式）。被较少位数舍入掉的内容无法恢复。t8 到 t1 是 8 到 1 位的旋转编码，q8_0 和 q4_0 是分组编码，f16 是 16 位。（旋转编码：arXiv 2504.19874。）</translation>
    </message>
    <message>
        <source>When the cache is compacted. At the budget: memory stays close to it; what the next question needs may be gone. One turn late: more of what is asked next is remembered, since the newest queries judge what stood before them; the cache may grow by a whole turn beyond the budget. The cache limit and compacting by hand act at once all the same. (Delayed compaction, arXiv 2608.00902.)</source>
        <translation>何时压缩缓存。达到预算时：内存始终接近预算；下一个问题需要的内容可能已经不在。晚一轮：由最新的查询评判其之前的内容，因此能记住更多接下来会问到的；缓存可能超出预算整整一轮。缓存上限和手动压缩仍然立即生效。（延迟压缩，arXiv 2608.00902。）</translation>
    </message>
    <message>
        <source>The newest tokens, which no compaction touches. More: what was just said stays exact. Less: more room for what stands further back.</source>
        <translation>最新的词元，任何压缩都不会触及。更多：刚说的内容保持精确。更少：为更早的内容留出空间。</translation>
    </message>
    <message>
        <source>A conversation of fewer tokens is not compacted. More: short conversations answer as without compression. Less: memory is saved earlier. 0 compacts any conversation.</source>
        <translation>词元更少的对话不会被压缩。更多：短对话的回答与不压缩时相同。更少：更早节省内存。0 表示压缩任何对话。</translation>
    </message>
    <message>
        <source>What a compaction may lose, measured before it is carried out. Where the ratio asked for loses more, a smaller one is used, and shown. strict: nearly nothing, less memory is saved. off: the ratio is carried out whatever it loses.</source>
        <translation>压缩允许的损失，在执行之前测量。若要求的压缩比损失更多，则采用并显示较小的压缩比。strict：几乎不损失，节省的内存较少。off：无论损失多少都按压缩比执行。</translation>
    </message>
    <message>
        <source>Which tokens an eviction keeps. By attention (seen by queries, expected to be seen): remembers more of what is asked for later; costs time to find out, and seeing a repetition reads the text up to three times. By distance and query centres: for long answers; costs little. By keys alone (norms, KeyDiff): costs nothing; facts get lost sooner. Newest only and random are there to compare with. (Key norms arXiv 2406.11430, KeyDiff 2504.15364, SnapKV 2404.14469, H2O 2306.14048, KVzip 2505.23416, Expected Attention 2510.00636, TriAttention 2604.04921.)</source>
        <translation>驱逐保留哪些词元。按注意力（被查询看过、预计会被看）：更能记住之后会问到的内容；需要花时间判断，复述会读取文本最多三次。按距离与查询中心：适用于长回答；开销小。仅按键（范数、KeyDiff）：无开销；事实更早丢失。仅最新与随机用于对照。（键范数 arXiv 2406.11430，KeyDiff 2504.15364，SnapKV 2404.14469，H2O 2306.14048，KVzip 2505.23416，Expected Attention 2510.00636，TriAttention 2604.04921。）</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
</context>
<context>
    <name>ListText</name>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>: </source>
        <translation>：</translation>
    </message>
</context>
<context>
    <name>MemoryPlan</name>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Cache, live</source>
        <translation>缓存（占用）</translation>
    </message>
    <message>
        <source>Cache, reserved</source>
        <translation>缓存（预留）</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Shadow</source>
        <translation>影子缓存</translation>
    </message>
    <message>
        <source>Kept texts</source>
        <translation>保留的文本</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>The numbers of the model.</source>
        <translation>模型的数值。</translation>
    </message>
    <message>
        <source>Keys and values of the tokens that are held.</source>
        <translation>所保留词元的键和值。</translation>
    </message>
    <message>
        <source>Reserved ahead for coming tokens.</source>
        <translation>为后续词元预留。</translation>
    </message>
    <message>
        <source>The uncompressed cache that live quality compares with.</source>
        <translation>实时质量用来比较的未压缩缓存。</translation>
    </message>
    <message>
        <source>Of texts that were read, for others that begin alike; at most.</source>
        <translation>已读文本的缓存，供开头相同的文本使用；上限。</translation>
    </message>
    <message>
        <source>Second copies and readings while caches are compacted; at most.</source>
        <translation>压缩缓存时的第二份副本和重读；上限。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Planned for %1 at %2 tokens with a cache of %3: %4 in all, %5.</source>
        <translation>%1 在 %2 个词元、%3 缓存下的规划：共 %4，%5。</translation>
    </message>
    <message>
        <source>It fits into the %1 that are free.</source>
        <translation>可放入空闲的 %1。</translation>
    </message>
    <message>
        <source>It does not fit into the %1 that are free; %2 tokens do.</source>
        <translation>放不进空闲的 %1；可放 %2 个词元。</translation>
    </message>
    <message>
        <source>Measured now: %1.</source>
        <translation>当前实测：%1。</translation>
    </message>
    <message>
        <source>All</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Free for it</source>
        <translation>可用空闲</translation>
    </message>
    <message>
        <source>Rest of the program</source>
        <translation>程序其余部分</translation>
    </message>
    <message>
        <source>What one step of reading computes with.</source>
        <translation>一次读取步骤计算所用的内存。</translation>
    </message>
    <message>
        <source>Measured: the window, the vocabulary, the recording of the session, and what compactions and estimates compute with.</source>
        <translation>实测：窗口、词表、会话记录，以及压缩和估算计算所用的内存。</translation>
    </message>
</context>
<context>
    <name>ModelJobs</name>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Which heads need far context, so that attention matching gives slots to those. Seconds to minutes; the window measures them by itself as well.</source>
        <translation>哪些头需要远处的上下文，注意力匹配据此分配槽位。几秒到几分钟；窗口也会自行测量。</translation>
    </message>
    <message>
        <source>Rotations</source>
        <translation>旋转</translation>
    </message>
    <message>
        <source>Caches with 2 and 3 bits lose less. Minutes.</source>
        <translation>2 位和 3 位的缓存损失更小。需几分钟。</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Which layers get the extra bits (extra_bits). Minutes; after the rotations, which it is measured under.</source>
        <translation>哪些层得到额外的位（extra_bits）。需几分钟；在旋转之后进行，测量以其为准。</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Caches that are stored on disk get smaller. Minutes.</source>
        <translation>存到磁盘的缓存更小。需几分钟。</translation>
    </message>
    <message>
        <source>Surrogate</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Evictions keep what a repetition of the text would look at, without reading it again. Minutes.</source>
        <translation>驱逐时保留重复文本会看到的内容，而无需重读。需几分钟。</translation>
    </message>
    <message>
        <source>Query centres</source>
        <translation>查询中心</translation>
    </message>
    <message>
        <source>Evictions by TriAttention, during long answers, know the model&apos;s queries beforehand. Less than a minute for small models.</source>
        <translation>TriAttention 驱逐在长回答期间预先了解模型的查询。小模型不到一分钟。</translation>
    </message>
    <message>
        <source>It ended with status %1 and said nothing about why.</source>
        <translation>以状态 %1 结束，没有说明原因。</translation>
    </message>
</context>
<context>
    <name>PartFile</name>
    <message>
        <source>The disk has no room left for %1. What has come is kept; make room, then resume.</source>
        <translation>磁盘已没有空间存放 %1。已下载的部分会保留；请腾出空间后继续。</translation>
    </message>
    <message>
        <source>The disk takes no file of that size (%1). Choose a folder on another one.</source>
        <translation>此磁盘不支持这么大的文件（%1）。请选择其他磁盘上的文件夹。</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
    <message>
        <source>Another window or program is downloading %1.</source>
        <translation>另一个窗口或程序正在下载 %1。</translation>
    </message>
</context>
<context>
    <name>Profiles</name>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Takes the fewest bits that were measured to cost this model nearly nothing. Every token stays.</source>
        <translation>采用经测量对此模型几乎没有损失的最少位数。所有词元都保留。</translation>
    </message>
    <message>
        <source>Frugal</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>The smallest cache: keys in eight bits, values in four, and attention matching holds a long text in a quarter of its slots. Details of long texts can get lost.</source>
        <translation>最小的缓存：键 8 位，值 4 位，注意力匹配以四分之一的槽位保存长文本。长文本的细节可能丢失。</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>16 bits and every token: nothing is lost, and the cache takes most memory.</source>
        <translation>16 位并保留所有词元：什么都不丢失，缓存占用内存最多。</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Return</source>
        <translation>Enter</translation>
    </message>
</context>
<context>
    <name>RemoteAddress</name>
    <message>
        <source>This is no address. Write it like http://127.0.0.1:8080.</source>
        <translation>这不是地址。请写成 http://127.0.0.1:8080 的形式。</translation>
    </message>
    <message>
        <source>An address begins with http:// or https://, not with %1://.</source>
        <translation>地址应以 http:// 或 https:// 开头，而不是 %1://。</translation>
    </message>
    <message>
        <source>Write the key into its own field, not into the address.</source>
        <translation>请把密钥写入专用输入框，不要写在地址里。</translation>
    </message>
    <message>
        <source>The address ends before “?” and “#”.</source>
        <translation>地址应在“?”和“#”之前结束。</translation>
    </message>
    <message>
        <source>The address is missing. Write it like http://127.0.0.1:8080.</source>
        <translation>缺少地址。请写成 http://127.0.0.1:8080 的形式。</translation>
    </message>
    <message>
        <source>A key has letters, digits and signs of ASCII only, no blanks.</source>
        <translation>密钥只能包含 ASCII 字母、数字和符号，不含空格。</translation>
    </message>
</context>
<context>
    <name>RemoteProblem</name>
    <message>
        <source>It says: “%1”</source>
        <translation>它说：“%1”</translation>
    </message>
    <message>
        <source>Nobody listens at %1. Is the engine running, at this port?</source>
        <translation>%1 无人监听。引擎是否在此端口运行？</translation>
    </message>
    <message>
        <source>There is no machine called %1 here.</source>
        <translation>找不到名为 %1 的机器。</translation>
    </message>
    <message>
        <source>%1 does not answer in time.</source>
        <translation>%1 未及时响应。</translation>
    </message>
    <message>
        <source>%1 closed the connection without an answer.</source>
        <translation>%1 未响应即关闭了连接。</translation>
    </message>
    <message>
        <source>%1 is not reached: %2.</source>
        <translation>无法连接 %1：%2。</translation>
    </message>
    <message>
        <source>The engine wants a key, or another one.</source>
        <translation>引擎需要密钥，或需要另一个密钥。</translation>
    </message>
    <message>
        <source>The engine does not let this key do that.</source>
        <translation>引擎不允许此密钥执行该操作。</translation>
    </message>
    <message>
        <source>The engine answers, but not at %1 (%2).</source>
        <translation>引擎有响应，但不在 %1（%2）。</translation>
    </message>
    <message>
        <source>The engine has too many requests.</source>
        <translation>引擎的请求过多。</translation>
    </message>
    <message>
        <source>The engine is not ready: it is loading, asleep or full.</source>
        <translation>引擎未就绪：正在加载、休眠或已满。</translation>
    </message>
    <message>
        <source>Try again in %1 s.</source>
        <translation>请在 %1 秒后重试。</translation>
    </message>
    <message>
        <source>The engine failed (%1).</source>
        <translation>引擎出错（%1）。</translation>
    </message>
    <message>
        <source>The engine has moved to %1. Write that address; it is not followed by itself, because the key would go along.</source>
        <translation>引擎已迁至 %1。请填写该地址；程序不会自动跟随，因为密钥会一并发送。</translation>
    </message>
    <message>
        <source>The engine refused the request (%1).</source>
        <translation>引擎拒绝了请求（%1）。</translation>
    </message>
    <message>
        <source>This is not what an engine answers: %1</source>
        <translation>这不是引擎的响应：%1</translation>
    </message>
    <message>
        <source>The certificate of %1 is not one to trust: %2.</source>
        <translation>%1 的证书不可信：%2。</translation>
    </message>
    <message>
        <source>The connection broke off before the answer&apos;s end.</source>
        <translation>连接在回答结束前中断。</translation>
    </message>
</context>
<context>
    <name>ReportParts</name>
    <message>
        <source>Charts and maps</source>
        <translation>图表和图谱</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Answers and their figures</source>
        <translation>回答及其数据</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>Memory of texts</source>
        <translation>文本记忆</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Settings and their changes</source>
        <translation>设置及其更改</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>What was said</source>
        <translation>对话内容</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>%1 %2 to %3</source>
        <translation>%1 %2 → %3</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>SweepSettings</name>
    <message>
        <source>This ratio becomes a budget in slots, and the length of the conversation is not known before its next answer.</source>
        <translation>此压缩比会换算为槽位预算，而对话长度要到下一个回答才知道。</translation>
    </message>
</context>
<context>
    <name>TokenFate</name>
    <message>
        <source>gone since compaction %1</source>
        <translation>自第 %1 次压缩后消失</translation>
    </message>
    <message>
        <source>gone by compaction %1 or before</source>
        <translation>因第 %1 次或更早的压缩消失</translation>
    </message>
    <message>
        <source>sink</source>
        <translation>汇聚</translation>
    </message>
    <message>
        <source>recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>merged</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>kept in part</source>
        <translation>部分保留</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>all heads of layers %1</source>
        <translation>第 %1 层的所有头</translation>
    </message>
    <message>
        <source>some of others</source>
        <translation>其余部分头</translation>
    </message>
    <message>
        <source>none of layers %1</source>
        <translation>第 %1 层无</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads</source>
        <translation>在 %1 的层和头中保留</translation>
    </message>
    <message>
        <source>answers for %1 tokens</source>
        <translation>代表 %1 个词元</translation>
    </message>
    <message>
        <source>key %1 x the mean length</source>
        <translation>键长为均值的 %1 倍</translation>
    </message>
    <message>
        <source>Token %1 of %2 “%3”: %4</source>
        <translation>词元 %1 / %2 “%3”：%4</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads (%2)</source>
        <translation>由 %1 的层和头保存（%2）</translation>
    </message>
    <message>
        <source>in the weakest passage, of which %1 of the information was kept</source>
        <translation>位于最弱段落，其信息保留了 %1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ApplicationState</name>
    <message>
        <source>ends</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Lacuna %1 starts: Qt %2, %3, %4 cores, %5 (%6), %7 of memory</source>
        <translation>Lacuna %1 启动：Qt %2，%3，%4 核，%5（%6），内存 %7</translation>
    </message>
    <message>
        <source>%1 Wait for its end or stop it.</source>
        <translation>%1 请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>An answer is being written. Wait for its end or stop it.</source>
        <translation>正在生成回答。请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>Answers come from %1 now; this is of the local engine. Disconnect to use it.</source>
        <translation>现在由 %1 回答；此功能属于本地引擎。断开连接后才能使用。</translation>
    </message>
    <message>
        <source>A model is being loaded. Wait for its end or stop it.</source>
        <translation>正在加载模型。请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>A measurement runs. Wait for its end or stop it.</source>
        <translation>正在测量。请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>Answers come from %1 now, at %2</source>
        <translation>现在由 %1 回答，地址 %2</translation>
    </message>
    <message>
        <source>Disconnected from %1</source>
        <translation>已与 %1 断开</translation>
    </message>
    <message>
        <source>%1 was asked</source>
        <translation>已向 %1 提问</translation>
    </message>
    <message>
        <source>%1 answered (%2)</source>
        <translation>%1 已回答（%2）</translation>
    </message>
    <message>
        <source>Paused while an answer is written.</source>
        <translation>生成回答期间暂停。</translation>
    </message>
    <message>
        <source>Paused while another measurement runs.</source>
        <translation>另一测量进行期间暂停。</translation>
    </message>
    <message>
        <source>Conversations are on disk again.</source>
        <translation>对话已重新保存到磁盘。</translation>
    </message>
    <message>
        <source>The cache settings of “%1” were given up: %2</source>
        <translation>已放弃“%1”的缓存设置：%2</translation>
    </message>
    <message>
        <source>Something the engine told could not be taken: %1</source>
        <translation>无法处理引擎的一条消息：%1</translation>
    </message>
    <message>
        <source>The engine stopped: %1 Restart Lacuna.</source>
        <translation>引擎已停止：%1 请重新启动 Lacuna。</translation>
    </message>
    <message>
        <source>%1 does not guess ahead for %2: %3</source>
        <translation>%1 不能为 %2 做草稿：%3</translation>
    </message>
    <message>
        <source>The cache of this conversation came from %1, %2 tokens. The next question goes on with it as far as the text is the same.</source>
        <translation>此对话的缓存来自 %1，共 %2 个词元。下一个问题在文本相同的范围内沿用它。</translation>
    </message>
    <message>
        <source>The cache of this conversation was written to %1, %2 tokens.</source>
        <translation>此对话的缓存已写入 %1，共 %2 个词元。</translation>
    </message>
    <message>
        <source>Precision from the next answer on: %1</source>
        <translation>从下一个回答起的精度：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::CalibrationController</name>
    <message>
        <source>Rotated codes of this model are turned by rotations that were calibrated on it.</source>
        <translation>此模型的旋转编码使用为其校准的旋转。</translation>
    </message>
    <message>
        <source>Rotated codes of this model are turned by random rotations, because those that lie next to it cannot be used: %1.</source>
        <translation>此模型的旋转编码使用随机旋转，因为与其同处的旋转无法使用：%1。</translation>
    </message>
    <message>
        <source>Rotated codes of this model are turned by random rotations; calibrated ones lose less with 2 and 3 bits.</source>
        <translation>此模型的旋转编码使用随机旋转；在 2 位和 3 位时，校准的旋转损失更小。</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Calibrating, %1 of %2 tokens read</source>
        <translation>校准中，已读 %1 / %2 个词元</translation>
    </message>
    <message>
        <source>Making the text</source>
        <translation>正在生成文本</translation>
    </message>
    <message>
        <source>The text that comes with the program was not found.</source>
        <translation>未找到随程序提供的文本。</translation>
    </message>
    <message>
        <source>Calibrated in %1 of work; kept as %2. It counts once the model is loaded again.</source>
        <translation>校准完成，用时 %1；已保存为 %2。重新加载模型后生效。</translation>
    </message>
    <message>
        <source>Stopped; nothing was kept of it.</source>
        <translation>已停止；未保留任何结果。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ChatController</name>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it first.</source>
        <translation>正在生成回答。请先停止它。</translation>
    </message>
    <message>
        <source>This conversation is being read from disk.</source>
        <translation>正在从磁盘读取此对话。</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>There is no answer yet.</source>
        <translation>还没有回答。</translation>
    </message>
    <message>
        <source>The answer came to its end.</source>
        <translation>回答已结束。</translation>
    </message>
    <message>
        <source>The answer has no words yet: answer again.</source>
        <translation>回答还没有文字：请重新生成。</translation>
    </message>
    <message>
        <source>%1 (continued)</source>
        <translation>%1（续）</translation>
    </message>
    <message>
        <source>There is no question yet.</source>
        <translation>还没有问题。</translation>
    </message>
    <message>
        <source>The system prompt has a window of its own.</source>
        <translation>系统提示词有自己的窗口。</translation>
    </message>
    <message>
        <source>Edited by you. Continue writes on from its end.</source>
        <translation>由您编辑。“继续”会从结尾处接着写。</translation>
    </message>
    <message>
        <source>Not sent: the model was not loaded.</source>
        <translation>未发送：模型未加载。</translation>
    </message>
    <message>
        <source>Sent once the model is loaded.</source>
        <translation>模型加载后发送。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConfigController</name>
    <message>
        <source>Takes effect at the next token.</source>
        <translation>从下一个词元起生效。</translation>
    </message>
    <message>
        <source>Takes effect with the next answer.</source>
        <translation>从下一个回答起生效。</translation>
    </message>
    <message>
        <source>Takes effect when a conversation&apos;s cache is built again.</source>
        <translation>对话缓存重建时生效。</translation>
    </message>
    <message>
        <source>Sent again with revision %1.</source>
        <translation>已随修订 %1 重新发送。</translation>
    </message>
    <message>
        <source>Not applied: %1</source>
        <translation>未应用：%1</translation>
    </message>
    <message>
        <source>The engine could not apply this change; %1 is still in force.</source>
        <translation>引擎无法应用此更改；%1 仍然有效。</translation>
    </message>
    <message>
        <source>no effect while %1</source>
        <translation>不起作用：%1</translation>
    </message>
    <message>
        <source>A part waits for the next answer.</source>
        <translation>一部分等待下一个回答。</translation>
    </message>
    <message>
        <source>The change was rolled back.</source>
        <translation>更改已回滚。</translation>
    </message>
    <message>
        <source> A budget of %1 keeps half of the %2 slots that a head holds now, and the others go.</source>
        <translation>预算为 %1 时保留每个头现有 %2 个槽位的一半，其余丢弃。</translation>
    </message>
    <message>
        <source>moving it sets %1</source>
        <translation>移动即设为%1</translation>
    </message>
    <message>
        <source>unused without a method</source>
        <translation>未选方法时不用</translation>
    </message>
    <message>
        <source>unused by attention matching</source>
        <translation>注意力匹配不用此项</translation>
    </message>
    <message>
        <source>unused by eviction</source>
        <translation>驱逐不用此项</translation>
    </message>
    <message>
        <source>sets %1</source>
        <translation>设为%1</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>未用</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConnectionList</name>
    <message>
        <source>The list of engines was not read: %1</source>
        <translation>未能读取引擎列表：%1</translation>
    </message>
    <message>
        <source>The list of engines was not written: %1</source>
        <translation>未能写入引擎列表：%1</translation>
    </message>
    <message>
        <source>Lacuna: key of %1</source>
        <translation>Lacuna：%1 的密钥</translation>
    </message>
    <message>
        <source>There is no keyring here now.</source>
        <translation>此处现在没有钥匙环。</translation>
    </message>
    <message>
        <source>The keyring does not have the key any more.</source>
        <translation>钥匙环中已没有该密钥。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationListModel</name>
    <message numerus="yes">
        <source>%1, %n message(s)</source>
        <translation>
            <numerusform>%1，%n 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>
Last changed %1.</source>
        <translation>
上次更改：%1。</translation>
    </message>
    <message>
        <source>
Last answered with %1.</source>
        <translation>
上次回答所用设置：%1。</translation>
    </message>
    <message>
        <source>
It has cache settings of its own.</source>
        <translation>
它有自己的缓存设置。</translation>
    </message>
    <message>
        <source>
It is private: nothing of it is stored.</source>
        <translation>
这是私密对话：不存储任何内容。</translation>
    </message>
    <message>
        <source>, answering</source>
        <translation>，正在回答</translation>
    </message>
    <message>
        <source>, own cache settings</source>
        <translation>，自有缓存设置</translation>
    </message>
    <message>
        <source>, private</source>
        <translation>，私密</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationStorage</name>
    <message>
        <source>Stored conversations cannot be read: %1</source>
        <translation>无法读取存储的对话：%1</translation>
    </message>
    <message>
        <source>Conversations cannot be written: %1</source>
        <translation>无法写入对话：%1</translation>
    </message>
    <message>
        <source>“%1” was changed by another Lacuna as well. What is here is kept as “%2”, and the other one stays as it is.</source>
        <translation>“%1”也被另一个 Lacuna 更改。此处的内容保存为“%2”，另一个保持原样。</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（副本）</translation>
    </message>
    <message>
        <source>“%1” was deleted by another Lacuna.</source>
        <translation>“%1”已被另一个 Lacuna 删除。</translation>
    </message>
    <message>
        <source>%1 It was not deleted.</source>
        <translation>%1 未删除。</translation>
    </message>
    <message>
        <source>A stored conversation cannot be read: %1</source>
        <translation>无法读取一个存储的对话：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) of this conversation are not what was written: they were damaged on disk, and say so.</source>
        <translation>
            <numerusform>此对话有 %n 条消息与写入时不同：它们在磁盘上已损坏，并已标注。</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversations cannot be searched: %1</source>
        <translation>无法搜索对话：%1</translation>
    </message>
    <message>
        <source>The search index did not match the stored conversations and was made again.</source>
        <translation>搜索索引与已保存的对话不一致，已重新建立。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::Download</name>
    <message>
        <source>The folder %1 cannot be made.</source>
        <translation>无法创建文件夹 %1。</translation>
    </message>
    <message>
        <source>%1 is there already. Nothing is written over: remove it, or choose another folder.</source>
        <translation>%1 已经存在。不会覆盖任何文件：请将其移走，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>%1 are still to come and the disk of %2 has room for %3. What has come is kept; make room, then resume.</source>
        <translation>还有 %1 未下载，而 %2 所在磁盘只能容纳 %3。已下载的部分会保留；请腾出空间后继续。</translation>
    </message>
    <message>
        <source>What had come before cannot be continued safely, because the server gave no mark to know it by: it is fetched from the start.</source>
        <translation>之前下载的部分无法安全续传，因为服务器没有给出可识别的标记：将从头下载。</translation>
    </message>
    <message>
        <source>The part file has become shorter.</source>
        <translation>部分文件变短了。</translation>
    </message>
    <message>
        <source>%1 answers each time in a way that does not fit what was asked for.</source>
        <translation>%1 每次的应答都与请求不符。</translation>
    </message>
    <message>
        <source>The server has another file now; it is fetched from the start.</source>
        <translation>服务器上的文件已改变；将从头下载。</translation>
    </message>
    <message>
        <source>The server does not go on where it ended; it is fetched from the start.</source>
        <translation>服务器不支持续传；将从头下载。</translation>
    </message>
    <message>
        <source>%1 sent a web page in place of %2. Does this network ask for a login first?</source>
        <translation>%1 发来的是网页而不是 %2。此网络是否要求先登录？</translation>
    </message>
    <message>
        <source>%1 does not say how long %2 is, so nothing could tell whether it is whole.</source>
        <translation>%1 没有说明 %2 的长度，因此无法判断是否完整。</translation>
    </message>
    <message>
        <source>%1 has %2 bytes there, and %3 were announced.</source>
        <translation>%1 在服务器上有 %2 字节，而声明的是 %3。</translation>
    </message>
    <message>
        <source>The server sent another part than was asked for; it is fetched from the start.</source>
        <translation>服务器发来的不是所请求的部分；将从头下载。</translation>
    </message>
    <message>
        <source>%1 sends more than the %2 bytes that it announced of %3.</source>
        <translation>%1 发送的内容超过它所声明的 %2 字节（%3）。</translation>
    </message>
    <message>
        <source>%1 is no model: %2.</source>
        <translation>%1 不是模型：%2。</translation>
    </message>
    <message>
        <source>%1 ended %2 at %3 of %4 bytes. What has come is kept.</source>
        <translation>%1 在 %3 / %4 字节处结束了 %2。已下载的部分会保留。</translation>
    </message>
    <message>
        <source>%1 Trying again.</source>
        <translation>%1 正在重试。</translation>
    </message>
    <message>
        <source>%1 has the right length and wrong bytes: its SHA-256 is %2 and not %3. It was put aside as %4; resume to fetch it again.</source>
        <translation>%1 长度正确但内容有误：其 SHA-256 为 %2 而不是 %3。已另存为 %4；继续即可重新下载。</translation>
    </message>
    <message>
        <source>%1 is no model: %2. It was put aside.</source>
        <translation>%1 不是模型：%2。已另存。</translation>
    </message>
    <message>
        <source>%1 is there already. The model lies in %2.</source>
        <translation>%1 已经存在。模型位于 %2。</translation>
    </message>
    <message>
        <source>All there. No digest of all of it was known, so its bytes were not checked against one.</source>
        <translation>已全部下载。并非全部内容都有已知摘要，因此没有据此校验。</translation>
    </message>
    <message>
        <source>All there, and its SHA-256 is right.</source>
        <translation>已全部下载，SHA-256 正确。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubController</name>
    <message>
        <source>%1 has no GGUF file and no folder of safetensors.</source>
        <translation>%1 没有 GGUF 文件，也没有 safetensors 文件夹。</translation>
    </message>
    <message>
        <source>The repository has no model %1.</source>
        <translation>仓库中没有模型 %1。</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>请先选择模型。</translation>
    </message>
    <message>
        <source>Choose a folder for models first.</source>
        <translation>请先选择存放模型的文件夹。</translation>
    </message>
    <message>
        <source>A SHA-256 digest has 64 digits of 0-9 and a-f.</source>
        <translation>SHA-256 摘要由 64 个 0-9 和 a-f 的字符组成。</translation>
    </message>
    <message>
        <source>A digest is of one file, and this model has several.</source>
        <translation>摘要只针对一个文件，而此模型有多个文件。</translation>
    </message>
    <message>
        <source>%1 is on the list already, from elsewhere. Remove that one first.</source>
        <translation>%1 已在列表中，但来源不同。请先移除那一项。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubFetch</name>
    <message>
        <source>The certificate of %1 is not one to trust: %2. Is the clock of this machine right?</source>
        <translation>%1 的证书不可信：%2。本机的时钟是否正确？</translation>
    </message>
    <message>
        <source>%1 is not found. Is this machine connected to the network?</source>
        <translation>找不到 %1。本机是否已连接网络？</translation>
    </message>
    <message>
        <source>Nobody listens at %1.</source>
        <translation>%1 没有在监听。</translation>
    </message>
    <message>
        <source>%1 sends nothing any more.</source>
        <translation>%1 不再发送数据。</translation>
    </message>
    <message>
        <source>%1 broke the connection off.</source>
        <translation>%1 中断了连接。</translation>
    </message>
    <message>
        <source>%1 is not reached: %2.</source>
        <translation>无法连接 %1：%2。</translation>
    </message>
    <message>
        <source>This system has no encryption that Qt can use (OpenSSL), and nothing is fetched without it.</source>
        <translation>此系统没有 Qt 可用的加密（OpenSSL），没有它就不会下载任何内容。</translation>
    </message>
    <message>
        <source>%1 sends elsewhere without saying where.</source>
        <translation>%1 转往别处，但没有说明去向。</translation>
    </message>
    <message>
        <source>%1 sends on and on, more than %2 times.</source>
        <translation>%1 不断转向，超过 %2 次。</translation>
    </message>
    <message>
        <source>%1 does not give this to everybody (%2). Accept its terms there with an account of yours, and give the account&apos;s token here.</source>
        <translation>%1 不向所有人提供此内容（%2）。请用您的账户在那里接受条款，并在此填入账户的令牌。</translation>
    </message>
    <message>
        <source>%1 has nothing of that name (%2).</source>
        <translation>%1 没有此名称的内容（%2）。</translation>
    </message>
    <message>
        <source>%1 was asked too often. Resume in %2 s.</source>
        <translation>对 %1 的请求过多。请在 %2 秒后继续。</translation>
    </message>
    <message>
        <source>%1 was asked too often. Resume in a while.</source>
        <translation>对 %1 的请求过多。请稍后继续。</translation>
    </message>
    <message>
        <source>%1 answers with status %2.</source>
        <translation>%1 应答状态为 %2。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubLister</name>
    <message>
        <source>The list of files has more than %1; it is not read.</source>
        <translation>文件列表超过 %1；不予读取。</translation>
    </message>
    <message>
        <source>The list of files does not end.</source>
        <translation>文件列表没有尽头。</translation>
    </message>
    <message>
        <source>The list of files goes on at another host (%1); that is not followed.</source>
        <translation>文件列表在另一台主机（%1） 上继续；不予跟随。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::MeasurementController</name>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>A comparison is running.</source>
        <translation>正在比较。</translation>
    </message>
    <message>
        <source>A sweep is running.</source>
        <translation>正在扫描参数。</translation>
    </message>
    <message>
        <source>%1 has a setting that was refused: %2</source>
        <translation>%1 有一项设置被拒绝：%2</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>There is no question yet: write one, or ask one in the conversation.</source>
        <translation>还没有问题：请写一个，或在对话中提出一个。</translation>
    </message>
    <message>
        <source>Attention matching, budgets of the heads as in force</source>
        <translation>注意力匹配，各头预算按当前设置</translation>
    </message>
    <message>
        <source>Attention matching, every head alike</source>
        <translation>注意力匹配，各头相同</translation>
    </message>
    <message>
        <source>Evict keys most like the others</source>
        <translation>驱逐与其他最相似的键</translation>
    </message>
    <message>
        <source>Keep keys of low norm</source>
        <translation>保留范数低的键</translation>
    </message>
    <message>
        <source>Keep keys of high norm</source>
        <translation>保留范数高的键</translation>
    </message>
    <message>
        <source>Keep the newest only</source>
        <translation>仅保留最新的</translation>
    </message>
    <message>
        <source>Keep any: what choosing is worth</source>
        <translation>随机保留：用来衡量挑选的价值</translation>
    </message>
    <message>
        <source>Attention matching, heads alike</source>
        <translation>注意力匹配，各头相同</translation>
    </message>
</context>
<context>
    <name>lacuna::app::MemoryController</name>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>the same text</source>
        <translation>相同的文本</translation>
    </message>
    <message>
        <source>the beginning of a longer text</source>
        <translation>较长文本的开头</translation>
    </message>
    <message>
        <source>a text that goes on differently</source>
        <translation>后续不同的文本</translation>
    </message>
    <message>
        <source>a shorter text that it begins with</source>
        <translation>作为其开头的较短文本</translation>
    </message>
    <message>
        <source>nothing begins alike</source>
        <translation>没有开头相同的内容</translation>
    </message>
    <message>
        <source>the conversation has as much itself</source>
        <translation>对话自身已有同样多</translation>
    </message>
    <message>
        <source>too few tokens in common</source>
        <translation>共同词元太少</translation>
    </message>
    <message>
        <source>what begins alike cannot be cut back so far</source>
        <translation>开头相同的内容无法回退到那么远</translation>
    </message>
    <message>
        <source>reading it is predicted to be slower than computing</source>
        <translation>预计读取比计算更慢</translation>
    </message>
    <message>
        <source>it is damaged or gone, or there was no memory</source>
        <translation>已损坏或丢失，或内存不足</translation>
    </message>
    <message>
        <source>reading %1, computing %2</source>
        <translation>读取 %1，计算 %2</translation>
    </message>
    <message>
        <source>one of the two was never measured here</source>
        <translation>两者之一从未在此测量</translation>
    </message>
    <message>
        <source>%1 tokens read in %2</source>
        <translation>读取 %1 个词元，用时 %2</translation>
    </message>
    <message>
        <source>%1 tokens not read</source>
        <translation>未读取 %1 个词元</translation>
    </message>
    <message>
        <source>Newest decision: %1; predicted: %2.</source>
        <translation>最近决定：%1；预测：%2。</translation>
    </message>
    <message>
        <source>%1 wait to be written.</source>
        <translation>%1 等待写入。</translation>
    </message>
    <message>
        <source>%1 damaged pages were put aside.</source>
        <translation>%1 个损坏的页已隔离。</translation>
    </message>
    <message>
        <source>from what is stored: %1</source>
        <translation>来自存储：%1</translation>
    </message>
    <message>
        <source>from its own cache</source>
        <translation>来自自身缓存</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelController</name>
    <message>
        <source>The model that ships with Lacuna was not found; looked in %1. Load another one.</source>
        <translation>未找到随 Lacuna 提供的模型；查找位置：%1。请加载其他模型。</translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation>正在加载模型。</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>%1 The model loaded before stays in use.</source>
        <translation>%1 继续使用之前加载的模型。</translation>
    </message>
    <message>
        <source>Its heads were measured without a task, in %1 s.</source>
        <translation>其各头已在无任务下测量，用时 %1 秒。</translation>
    </message>
    <message>
        <source>Its heads were measured without a task.</source>
        <translation>其各头已在无任务下测量。</translation>
    </message>
    <message>
        <source>Until its heads are measured, slots are divided by their copy scores.</source>
        <translation>在各头测量完成前，槽位按其复制得分分配。</translation>
    </message>
    <message>
        <source>Its heads were measured with questions (bench).</source>
        <translation>其各头已用问题测量（基准）。</translation>
    </message>
    <message>
        <source>Its surrogate was fitted in %1 s: it foretells which tokens are needed.</source>
        <translation>其代理用 %1 秒拟合完成：它预测需要哪些词元。</translation>
    </message>
    <message>
        <source>It has a surrogate, which foretells which tokens are needed.</source>
        <translation>它有一个代理，可预测需要哪些词元。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelJobs</name>
    <message>
        <source>Calibrating %1: %2</source>
        <translation>正在校准 %1：%2</translation>
    </message>
    <message>
        <source>Converting %1 to %2</source>
        <translation>正在将 %1 转换为 %2</translation>
    </message>
    <message>
        <source>Quantising %1 to %2</source>
        <translation>正在将 %1 量化为 %2</translation>
    </message>
    <message>
        <source>Done. It counts once the model is loaded again.</source>
        <translation>完成。重新加载模型后生效。</translation>
    </message>
    <message>
        <source>Written to %1, %2.</source>
        <translation>已写入 %1，%2。</translation>
    </message>
    <message>
        <source>Stopped; nothing was kept of it.</source>
        <translation>已停止；未保留任何结果。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelLibrary</name>
    <message>
        <source>It is not there any more.</source>
        <translation>已不存在。</translation>
    </message>
    <message>
        <source>%1 layers x %2</source>
        <translation>%1 层 x %2</translation>
    </message>
    <message>
        <source>%1 does not lie in the folder of downloads, so it is not deleted here.</source>
        <translation>%1 不在下载文件夹中，因此不在此删除。</translation>
    </message>
    <message>
        <source>%1 cannot be deleted.</source>
        <translation>无法删除 %1。</translation>
    </message>
    <message>
        <source>%1 was not loaded again, because the program ended while it was read last time. Load it from the page Models.</source>
        <translation>%1 没有再次加载，因为上次读取时程序终止了。请在“模型”页面加载。</translation>
    </message>
    <message>
        <source>%1 was not loaded again: it is not there any more. The model that ships with Lacuna answers.</source>
        <translation>%1 没有再次加载：它已不存在。现由随 Lacuna 提供的模型回答。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ChildProgram</name>
    <message>
        <source>%1 cannot be started: %2.</source>
        <translation>无法启动 %1：%2。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ProfileController</name>
    <message>
        <source>%1 bits a number</source>
        <translation>每个数 %1 位</translation>
    </message>
    <message>
        <source>recall %1 of %2</source>
        <translation>召回 %1/%2</translation>
    </message>
    <message>
        <source>divergence %1 nats</source>
        <translation>散度 %1 奈特</translation>
    </message>
    <message>
        <source>%1 of the speed of 16 bits</source>
        <translation>速度为 16 位的 %1</translation>
    </message>
    <message>
        <source>the rest not measured on this model</source>
        <translation>其余未在此模型上测量</translation>
    </message>
    <message>
        <source>Not measured on this model.</source>
        <translation>未在此模型上测量。</translation>
    </message>
    <message>
        <source>Load a model first: what it sets depends on the model.</source>
        <translation>请先加载模型：具体设置取决于模型。</translation>
    </message>
    <message>
        <source>Your own.</source>
        <translation>您自己的。</translation>
    </message>
    <message>
        <source>Your own, saved with %1.</source>
        <translation>您自己的，使用 %1 时保存。</translation>
    </message>
    <message>
        <source>A profile needs a name.</source>
        <translation>配置方案需要名称。</translation>
    </message>
    <message>
        <source>A name has at most %1 signs.</source>
        <translation>名称最多 %1 个字符。</translation>
    </message>
    <message>
        <source>%1 is a profile of the program; take another name.</source>
        <translation>%1 是程序自带的方案；请换一个名称。</translation>
    </message>
    <message>
        <source>There is no profile %1.</source>
        <translation>没有方案 %1。</translation>
    </message>
    <message>
        <source>There is a profile %1 already.</source>
        <translation>已有方案 %1。</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ProgramLog</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
</context>
<context>
    <name>lacuna::app::QualityController</name>
    <message>
        <source>recall %1 of %2</source>
        <translation>召回 %1 / %2</translation>
    </message>
    <message>
        <source>RULER %1 %</source>
        <translation>RULER %1 %</translation>
    </message>
    <message>
        <source>mean KL %1</source>
        <translation>平均 KL %1</translation>
    </message>
    <message>
        <source>on this machine</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>on another machine, %1</source>
        <translation>在另一台机器（%1）</translation>
    </message>
    <message>
        <source>measured %1 %2</source>
        <translation>于 %1 %2测得</translation>
    </message>
    <message>
        <source>, %1 of %2 so far</source>
        <translation>，目前 %1 / %2</translation>
    </message>
    <message>
        <source>, few texts</source>
        <translation>，文本较少</translation>
    </message>
    <message>
        <source>%1, %2, precision %3. %4.</source>
        <translation>%1，%2，精度 %3。%4。</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>The quality of this model is being measured.</source>
        <translation>正在测量此模型的质量。</translation>
    </message>
    <message>
        <source>Not measured on this model.</source>
        <translation>未在此模型上测量。</translation>
    </message>
    <message>
        <source>at %1 %2</source>
        <translation>压缩 %1 时%2</translation>
    </message>
    <message>
        <source>%1 here, %2.</source>
        <translation>%1，%2。</translation>
    </message>
    <message>
        <source>No damage: the others are measured against 16 bits.</source>
        <translation>无损失：其他格式均以 16 位为基准测量。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Damage not measured, and too few others are to predict it. Squared error of the codes alone: keys %1, values %2.</source>
        <translation>损失未测量，且已测的其他格式太少，无法预测。仅编码的平方误差：键 %1，值 %2。</translation>
    </message>
    <message>
        <source>below</source>
        <translation>低于</translation>
    </message>
    <message>
        <source>not below</source>
        <translation>不低于</translation>
    </message>
    <message>
        <source>Mean KL %1, measured on this model; %2 the bound of %3.</source>
        <translation>平均 KL %1，在此模型上测得；%2界限 %3。</translation>
    </message>
    <message>
        <source>Mean KL about %1, predicted from %2 pairs measured on this model; %3 the bound of %4.</source>
        <translation>平均 KL 约 %1，由在此模型上测得的 %2 对预测；%3界限 %4。</translation>
    </message>
    <message>
        <source>Measured.</source>
        <translation>已测量。</translation>
    </message>
    <message>
        <source>Stopped at %1 of %2; what was measured is kept.</source>
        <translation>停止于 %1 / %2；已测结果保留。</translation>
    </message>
    <message>
        <source>Stopped before anything was measured.</source>
        <translation>尚未测得任何结果即已停止。</translation>
    </message>
    <message>
        <source>The small quality table that is kept of this model cannot be used: %1.</source>
        <translation>无法使用为此模型保存的小型质量表：%1。</translation>
    </message>
    <message>
        <source>The whole quality table that is kept of this model cannot be used: %1.</source>
        <translation>无法使用为此模型保存的完整质量表：%1。</translation>
    </message>
    <message>
        <source>The table of cache formats that is kept of this model cannot be used: %1.</source>
        <translation>无法使用为此模型保存的缓存格式表：%1。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RecordingController</name>
    <message>
        <source>Replayed: every word came out again, %1 answers with %2 tokens.</source>
        <translation>已重放：每个词都再次出现，%1 个回答共 %2 个词元。</translation>
    </message>
    <message>
        <source>Replayed: diverged at token %1 of answer %2.</source>
        <translation>已重放：在第 %2 个回答的第 %1 个词元处出现分歧。</translation>
    </message>
    <message>
        <source>It was “%1”, and now came “%2”.</source>
        <translation>原来是“%1”，现在是“%2”。</translation>
    </message>
    <message>
        <source>%1 cannot be opened: %2</source>
        <translation>无法打开 %1：%2</translation>
    </message>
    <message>
        <source>The replay was stopped.</source>
        <translation>重放已停止。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteChat</name>
    <message>
        <source>The engine broke the answer off. It says: “%1”</source>
        <translation>引擎中断了回答。它说：“%1”</translation>
    </message>
    <message>
        <source>The stream broke off before the answer&apos;s end.</source>
        <translation>数据流在回答结束前中断。</translation>
    </message>
    <message>
        <source>The engine says that the answer failed.</source>
        <translation>引擎表示回答失败。</translation>
    </message>
    <message>
        <source>it has more than %1.</source>
        <translation>超过 %1。</translation>
    </message>
    <message>
        <source>an event of more than %1.</source>
        <translation>一个事件超过 %1。</translation>
    </message>
    <message>
        <source>more than %1 came without any text.</source>
        <translation>收到超过 %1 而没有任何文本。</translation>
    </message>
    <message>
        <source>The answer has more than %1 of text and was ended here.</source>
        <translation>回答的文本超过 %1，在此结束。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteClient</name>
    <message>
        <source>it has more than %1.</source>
        <translation>超过 %1。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteController</name>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 词元/秒</translation>
    </message>
    <message>
        <source>%1 / s</source>
        <translation>%1 / s</translation>
    </message>
    <message>
        <source>%1 with LMCache</source>
        <translation>%1（含 LMCache）</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>prompt %1 tokens</source>
        <translation>提示词 %1 个词元</translation>
    </message>
    <message>
        <source>%1 written</source>
        <translation>已生成 %1</translation>
    </message>
    <message>
        <source>room for %1</source>
        <translation>可容纳 %1</translation>
    </message>
    <message>
        <source>The key goes over the network unencrypted (http).</source>
        <translation>密钥以未加密方式通过网络传输（http）。</translation>
    </message>
    <message>
        <source>The engine answers, but has no model loaded.</source>
        <translation>引擎有响应，但未加载模型。</translation>
    </message>
    <message>
        <source>The engine answers, with the model %1.</source>
        <translation>引擎有响应，模型为 %1。</translation>
    </message>
    <message>
        <source>The engine answers, with %1 models, %2 the first.</source>
        <translation>引擎有响应，共 %1 个模型，首个为 %2。</translation>
    </message>
    <message>
        <source>It shows no metrics, so that the charts stay empty.</source>
        <translation>它不提供指标，因此图表为空。</translation>
    </message>
    <message>
        <source>Its metrics are not understood, so that the charts stay empty.</source>
        <translation>无法理解其指标，因此图表为空。</translation>
    </message>
    <message>
        <source>Its metrics have none of the names that are known here.</source>
        <translation>其指标中没有此处已知的名称。</translation>
    </message>
    <message>
        <source>Its metrics are those of %1: %2 figures.</source>
        <translation>其指标属于 %1：共 %2 项。</translation>
    </message>
    <message>
        <source>Answers come from %1 now.</source>
        <translation>现在由 %1 回答。</translation>
    </message>
    <message>
        <source>%1: done.</source>
        <translation>%1：完成。</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>Saved. %1</source>
        <translation>已保存。%1</translation>
    </message>
    <message>
        <source>There is no such engine in the list.</source>
        <translation>列表中没有该引擎。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteExchange</name>
    <message>
        <source>Nothing has come for %1 s before the answer&apos;s end.</source>
        <translation>回答结束前 %1 秒没有收到任何内容。</translation>
    </message>
    <message>
        <source>The answer was not complete after %1 s.</source>
        <translation>%1 秒后回答仍不完整。</translation>
    </message>
    <message>
        <source>the head of its answer has more than %1.</source>
        <translation>其应答头超过 %1。</translation>
    </message>
    <message>
        <source>it is not HTTP/1.1.</source>
        <translation>它不是 HTTP/1.1。</translation>
    </message>
    <message>
        <source>it is compressed, which was not asked for.</source>
        <translation>它经过压缩，而未作此请求。</translation>
    </message>
    <message>
        <source>it has two lengths.</source>
        <translation>它有两个长度。</translation>
    </message>
    <message>
        <source>its length cannot be read.</source>
        <translation>其长度无法读取。</translation>
    </message>
    <message>
        <source>the lengths of its parts cannot be read.</source>
        <translation>其各部分的长度无法读取。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteMonitor</name>
    <message>
        <source>It shows no metrics: %1</source>
        <translation>它不提供指标：%1</translation>
    </message>
    <message>
        <source>Its metrics are not understood: %1</source>
        <translation>无法理解其指标：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ReportController</name>
    <message>
        <source>A report is being written; wait until it is done.</source>
        <translation>正在写入报告；请等待完成。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::SecretService</name>
    <message>
        <source>The keyring says: %1.</source>
        <translation>钥匙环提示：%1。</translation>
    </message>
    <message>
        <source>The keyring was not unlocked.</source>
        <translation>钥匙环未解锁。</translation>
    </message>
    <message>
        <source>The keyring has no collection yet.</source>
        <translation>钥匙环中还没有集合。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ServerController</name>
    <message>
        <source>This program was built without its server.</source>
        <translation>此程序构建时未包含服务器。</translation>
    </message>
    <message>
        <source>The settings of the server were not kept: %1</source>
        <translation>未能保存服务器设置：%1</translation>
    </message>
    <message>
        <source>The server is on at %1.</source>
        <translation>服务器已开启：%1。</translation>
    </message>
    <message>
        <source>The server is off.</source>
        <translation>服务器已关闭。</translation>
    </message>
    <message>
        <source>The server is off: %1</source>
        <translation>服务器已关闭：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::SessionFeed</name>
    <message>
        <source>budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>asked for</source>
        <translation>手动请求</translation>
    </message>
    <message>
        <source>settings changed</source>
        <translation>设置已更改</translation>
    </message>
    <message>
        <source>cache limit reached</source>
        <translation>达到缓存上限</translation>
    </message>
    <message>
        <source>tokens brought back</source>
        <translation>词元已取回</translation>
    </message>
    <message>
        <source>Compaction %1</source>
        <translation>压缩 %1</translation>
    </message>
    <message>
        <source>%1 skipped: %2</source>
        <translation>%1已跳过：%2</translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation>%1失败：%2</translation>
    </message>
    <message>
        <source>%1 started in the background, not finished</source>
        <translation>%1已在后台开始，尚未完成</translation>
    </message>
    <message>
        <source>Cause: %1; method %2; at %3 tokens.</source>
        <translation>原因：%1；方法 %2；词元数 %3。</translation>
    </message>
    <message>
        <source>Live bytes %1 to %2.</source>
        <translation>占用字节 %1 → %2。</translation>
    </message>
    <message>
        <source>Score %1, select %2, fit %3, apply %4.</source>
        <translation>评分 %1，选择 %2，拟合 %3，应用 %4。</translation>
    </message>
    <message>
        <source>Reading for its queries %1.</source>
        <translation>为其查询而读取 %1。</translation>
    </message>
    <message>
        <source>Output error on held-out queries: %1.</source>
        <translation>留出查询上的输出误差：%1。</translation>
    </message>
    <message>
        <source>Compression idle: nothing is cached yet.</source>
        <translation>压缩空闲：缓存中还没有内容。</translation>
    </message>
    <message>
        <source>Compression %1</source>
        <translation>压缩：%1</translation>
    </message>
    <message>
        <source>one conversation has cache settings of its own</source>
        <translation>一个对话有了自己的缓存设置</translation>
    </message>
    <message>
        <source>one conversation has the cache settings of all again</source>
        <translation>一个对话恢复了公共缓存设置</translation>
    </message>
    <message>
        <source>for one conversation</source>
        <translation>用于一个对话</translation>
    </message>
    <message>
        <source>Model %1 loaded in %2</source>
        <translation>模型 %1 已加载，用时 %2</translation>
    </message>
    <message>
        <source>%1 parameters, %2 of weights, %3 layers, %4 query and %5 key heads, context %6.
%7</source>
        <translation>%1 参数，权重 %2，%3 层，%4 个查询头和 %5 个键头，上下文 %6。
%7</translation>
    </message>
    <message>
        <source>Model not loaded: %1</source>
        <translation>模型未加载：%1</translation>
    </message>
    <message>
        <source>Model unloaded</source>
        <translation>模型已卸载</translation>
    </message>
    <message>
        <source>Answer %1 started: %2 prompt tokens, %3 already cached</source>
        <translation>回答 %1 开始：提示词 %2 个词元，%3 个已缓存</translation>
    </message>
    <message>
        <source>It begins from what the prefix cache keeps.</source>
        <translation>从前缀缓存保留的内容开始。</translation>
    </message>
    <message>
        <source>A waiting question was taken back</source>
        <translation>撤回了一个等待中的问题</translation>
    </message>
    <message>
        <source>Answer %1 ended (%2): %3 tokens</source>
        <translation>回答 %1 结束（%2）：%3 个词元</translation>
    </message>
    <message>
        <source>Settings %1 applied: %2</source>
        <translation>设置 %1 已应用：%2</translation>
    </message>
    <message>
        <source>nothing changed</source>
        <translation>没有变化</translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation>已回滚</translation>
    </message>
    <message>
        <source>Settings %1 rejected, %2: %3</source>
        <translation>设置 %1 被拒绝，%2：%3</translation>
    </message>
    <message>
        <source>The engine stopped: %1</source>
        <translation>引擎已停止：%1</translation>
    </message>
    <message>
        <source>Not brought back: %1</source>
        <translation>未取回：%1</translation>
    </message>
    <message>
        <source>Bringing %1 tokens back; %2 tokens of the text are read again.</source>
        <translation>正在取回 %1 个词元；重读文本的 %2 个词元。</translation>
    </message>
    <message>
        <source>Brought %1 tokens back in %2; %3 were read again. Compactions now leave %4 tokens of this conversation (%5) as they are.</source>
        <translation>已取回 %1 个词元，用时 %2；重读 %3 个。压缩现在会使此对话的 %4 个词元（%5）保持原样。</translation>
    </message>
    <message>
        <source>The report was written before this answer ended.</source>
        <translation>报告在此回答结束之前写成。</translation>
    </message>
    <message>
        <source>Compactions until then: %1</source>
        <translation>至此压缩次数：%1</translation>
    </message>
    <message>
        <source>Compression was off.</source>
        <translation>压缩未开启。</translation>
    </message>
    <message>
        <source>This report does not say at which step words came; answers are shown in proportion to their tokens.</source>
        <translation>此报告没有记录词语在哪一步出现；回答按词元比例显示。</translation>
    </message>
    <message>
        <source>It does not say what the cache held; words are not tinted.</source>
        <translation>它没有记录缓存保留了什么；词语不着色。</translation>
    </message>
    <message>
        <source>What this question looks for was not brought back: %1</source>
        <translation>此问题所寻找的内容未被找回：%1</translation>
    </message>
    <message>
        <source>This question looks for nothing that was forgotten (%1)</source>
        <translation>此问题没有寻找任何被遗忘的内容（%1）</translation>
    </message>
    <message>
        <source>This question looks for %1 tokens that were forgotten.</source>
        <translation>此问题在寻找 %1 个被遗忘的词元。</translation>
    </message>
    <message>
        <source>%1 tokens came back for this question in %2. Compactions now leave %3 tokens of this conversation (%4) as they are.</source>
        <translation>已在 %2 内为此问题找回 %1 个词元。此后压缩会让此对话的 %3 个词元（%4）保持原样。</translation>
    </message>
    <message>
        <source>Settings %1 not applied: %2</source>
        <translation>设置 %1 未应用：%2</translation>
    </message>
    <message>
        <source>The cache stays in %1: %2.</source>
        <translation>缓存仍为 %1：%2。</translation>
    </message>
    <message>
        <source>The cache went from %1 to %2.</source>
        <translation>缓存已从 %1 变为 %2。</translation>
    </message>
    <message>
        <source>%1 done in %2 beside the talk, pause %3: %4 to %5 slots in all heads</source>
        <translation>%1 在对话期间用时 %2 完成，停顿 %3：所有头共 %4 减至 %5 个槽位</translation>
    </message>
    <message>
        <source>%1 done in %2: %3 to %4 slots in all heads</source>
        <translation>%1 用时 %2 完成：所有头共 %3 减至 %4 个槽位</translation>
    </message>
    <message>
        <source>The cache holds %1 in %2 slots of all heads until it is finished; what it came to is told then, under the same number.</source>
        <translation>完成之前缓存以所有头共 %2 个槽位保存 %1；结果届时以同一编号告知。</translation>
    </message>
    <message>
        <source>Compression off: no method is chosen. Moving the AM ratio or the budget turns it on.</source>
        <translation>压缩已关闭：未选择方法。移动 AM 压缩比或预算即可开启。</translation>
    </message>
    <message>
        <source>%1 cancelled: %2</source>
        <translation>%1已取消：%2</translation>
    </message>
    <message>
        <source>Asked for %1x, achieved %2x.</source>
        <translation>要求 %1x，实际 %2x。</translation>
    </message>
    <message>
        <source>%1 limited: %2x smaller asked for, %3x achieved</source>
        <translation>%1 已限制：要求缩小 %2x，达到 %3x</translation>
    </message>
    <message>
        <source>%1 of the text&apos;s information kept; weakest passage %2.</source>
        <translation>保留了文本信息的 %1；最弱段落 %2。</translation>
    </message>
    <message>
        <source>KL mean %1, p99 %2 nats; same likeliest token at %3 of positions.</source>
        <translation>KL 平均 %1，p99 %2 nat；%3 的位置上最可能的词元相同。</translation>
    </message>
    <message>
        <source>Pause %1, work %2.</source>
        <translation>停顿 %1，工作 %2。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::TextFiles</name>
    <message>
        <source>%1 is not a text in UTF-8 or UTF-16.</source>
        <translation>%1 不是 UTF-8 或 UTF-16 文本。</translation>
    </message>
    <message>
        <source>There is no file %1.</source>
        <translation>没有文件 %1。</translation>
    </message>
    <message>
        <source>%1 is not a file.</source>
        <translation>%1 不是文件。</translation>
    </message>
    <message>
        <source>%1 has %2; a file of at most %3 can be attached.</source>
        <translation>%1 有 %2；最多可附加 %3 的文件。</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 is empty.</source>
        <translation>%1 为空。</translation>
    </message>
    <message>
        <source>%1 is damaged, or no PDF: it cannot be read.</source>
        <translation>%1 已损坏或不是 PDF：无法读取。</translation>
    </message>
    <message>
        <source>%1 is encrypted and opens with a password only. Save it without one first.</source>
        <translation>%1 已加密，需要密码才能打开。请先另存为无密码的文件。</translation>
    </message>
    <message>
        <source>%1 has more than %2 characters of text, which is more than can be attached.</source>
        <translation>%1 的文本超过 %2 个字符，超出了可附加的上限。</translation>
    </message>
    <message>
        <source>%1 has no text: its pages (%2) are pictures, as of a scan. Have its words recognised first, for example with ocrmypdf.</source>
        <translation>%1 没有文本：其页面（%2）是扫描之类的图像。请先进行文字识别，例如用 ocrmypdf。</translation>
    </message>
    <message>
        <source>%1 of the %2 pages of %3 are pictures without text and were left out.</source>
        <translation>%3 共 %2 页，其中 %1 页是没有文本的图像，已略去。</translation>
    </message>
    <message>
        <source>%1 was not read, because no process for it can be started: %2.</source>
        <translation>未读取 %1，因为无法为其启动进程：%2。</translation>
    </message>
    <message>
        <source>Reading %1 was cancelled.</source>
        <translation>读取 %1 已取消。</translation>
    </message>
    <message>
        <source>%1 was not read: its text was not there after %2 s.</source>
        <translation>未读取 %1：%2 秒后仍未得到文本。</translation>
    </message>
    <message>
        <source>%1 was not read: its text takes more than %2 s of computing.</source>
        <translation>未读取 %1：其文本需要超过 %2 秒的计算。</translation>
    </message>
    <message>
        <source>%1 was not read: its text takes more than %2 of memory.</source>
        <translation>未读取 %1：其文本需要超过 %2 的内存。</translation>
    </message>
    <message>
        <source>%1 was not read: it makes the reader of PDFs crash. It is damaged, or made to do that.</source>
        <translation>未读取 %1：它会使 PDF 读取程序崩溃。文件已损坏，或是有意为之。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ActionRegistry</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Session</source>
        <translation>会话(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>工具(&amp;T)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AnswerAlert</name>
    <message>
        <source>An answer has ended</source>
        <translation>回答已结束</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::BranchSwitch</name>
    <message>
        <source>Show the branch before (Alt+Left)</source>
        <translation>显示前一个分支（Alt+Left）</translation>
    </message>
    <message>
        <source>Show the next branch (Alt+Right)</source>
        <translation>显示后一个分支（Alt+Right）</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Branch %1 of %2: what was edited or answered again stays.</source>
        <translation>分支 %1，共 %2 个：编辑过或重新回答过的内容会保留。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ChartTablePage</name>
    <message>
        <source>%1 as a table</source>
        <translation>%1（表格）</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ChatView</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>输入命令</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type a few letters, choose with the arrows, run with Enter.</source>
        <translation>输入几个字母，用方向键选择，按回车执行。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CompareWindow</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Compare two settings</source>
        <translation>比较两组设置</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>The last question of the conversation. Write another here to ask it instead.</source>
        <translation>对话中的最后一个问题。也可在此写另一个问题来提问。</translation>
    </message>
    <message>
        <source>Question for both sides</source>
        <translation>两边的问题</translation>
    </message>
    <message>
        <source>One question, answered under A and then under B; what it cost and what was lost stands here at the end.</source>
        <translation>同一问题先在 A 下、再在 B 下回答；代价和损失最后显示在这里。</translation>
    </message>
    <message>
        <source>What each cost and lost</source>
        <translation>各自的代价与损失</translation>
    </message>
    <message>
        <source>The answer under %1 appears here.</source>
        <translation>%1 的回答显示在这里。</translation>
    </message>
    <message>
        <source>Answer under %1</source>
        <translation>%1 的回答</translation>
    </message>
    <message>
        <source>A answers first, then B. The figures come with the end of both.</source>
        <translation>先由 A 回答，再由 B 回答。两者结束后给出数据。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Use %1&apos;s settings</source>
        <translation>采用 %1 的设置</translation>
    </message>
    <message>
        <source>Bring method, ratio, budget and cache type of this side into force for the conversations of the window.</source>
        <translation>使这一侧的方法、压缩比、预算和缓存类型对窗口中的对话生效。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextFullDialog</name>
    <message>
        <source>The context is full</source>
        <translation>上下文已满</translation>
    </message>
    <message>
        <source>Go on without the older half</source>
        <translation>去掉较旧的一半继续</translation>
    </message>
    <message>
        <source>The oldest tokens leave the cache whenever it is full; the first few stay. The model forgets them, the page keeps them. Compression is switched off.</source>
        <translation>缓存每次填满时，最旧的词元会离开；最前的几个保留。模型会忘记它们，页面仍保留。压缩将关闭。</translation>
    </message>
    <message>
        <source>Raise the context to %1 tokens</source>
        <translation>将上下文增大到 %1 个词元</translation>
    </message>
    <message>
        <source>As much as the model was made for. Nothing is forgotten; the cache grows with the text.</source>
        <translation>达到模型训练的长度。不会遗忘任何内容；缓存随文本增长。</translation>
    </message>
    <message>
        <source>New conversation with the newer half</source>
        <translation>用较新的一半开始新对话</translation>
    </message>
    <message>
        <source>The older messages stay in this conversation and are not told to the model there.</source>
        <translation>较旧的消息留在此对话中，不会在新对话中告诉模型。</translation>
    </message>
    <message>
        <source>Compacting makes no room here: it saves memory, but the context counts the tokens of the text.</source>
        <translation>压缩在此不能腾出空间：它节省内存，但上下文按文本词元计。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextMeter</name>
    <message>
        <source>Context meter</source>
        <translation>上下文指示</translation>
    </message>
    <message>
        <source>Context in use. Dark: slots that hold it after compaction, mean over all heads. Thin line: prompt read so far.</source>
        <translation>已用上下文。深色：压缩后保存它的槽位，取所有头的平均值。细线：已读取的提示词。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextStrip</name>
    <message>
        <source>Context: not reported yet</source>
        <translation>上下文：尚未报告</translation>
    </message>
    <message>
        <source>Context %1 / %2 tokens</source>
        <translation>上下文 %1 / %2 个词元</translation>
    </message>
    <message>
        <source>Context %1 tokens</source>
        <translation>上下文 %1 个词元</translation>
    </message>
    <message>
        <source>Context: no model</source>
        <translation>上下文：无模型</translation>
    </message>
    <message>
        <source>Reading prompt %1 / %2 tokens</source>
        <translation>正在读取提示词 %1 / %2 个词元</translation>
    </message>
    <message>
        <source>, %1 tok/s, %2 left</source>
        <translation>，%1 词元/秒，剩余 %2</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>%1 (%2, %3) answers; settings of the local cache have no effect.</source>
        <translation>由 %1（%2，%3）回答；本地缓存设置不起作用。</translation>
    </message>
    <message>
        <source>Waiting for the first word</source>
        <translation>等待第一个词</translation>
    </message>
    <message>
        <source>Writing, the engine %1 tok/s</source>
        <translation>正在生成，引擎 %1 词元/秒</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation>引擎已停止</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>正在加载</translation>
    </message>
    <message>
        <source>Idle, last answer %1 tok/s</source>
        <translation>空闲，上个回答 %1 词元/秒</translation>
    </message>
    <message>
        <source>Reading prompt</source>
        <translation>正在读取提示词</translation>
    </message>
    <message>
        <source>Writing %1 tok/s</source>
        <translation>正在生成 %1 词元/秒</translation>
    </message>
    <message>
        <source>, and about %1 in the prompt: room for %2</source>
        <translation>，提示词约 %1：还可容纳 %2</translation>
    </message>
    <message>
        <source>, and about %1 in the prompt</source>
        <translation>，提示词约 %1</translation>
    </message>
    <message>
        <source>, held in %1 slots a head</source>
        <translation>，每个头用 %1 个槽位保存</translation>
    </message>
    <message>
        <source>, held in %1 slots a head (largest %2)</source>
        <translation>，每个头用 %1 个槽位保存（最多的头 %2）</translation>
    </message>
    <message>
        <source>compacting</source>
        <translation>正在压缩</translation>
    </message>
    <message>
        <source>changing the cache format</source>
        <translation>正在更改缓存格式</translation>
    </message>
    <message>
        <source>estimating a compaction</source>
        <translation>正在估计压缩</translation>
    </message>
    <message>
        <source>trying ratios</source>
        <translation>正在试验压缩比</translation>
    </message>
    <message>
        <source>comparing settings</source>
        <translation>正在比较设置</translation>
    </message>
    <message>
        <source>sweeping settings</source>
        <translation>正在进行参数扫描</translation>
    </message>
    <message>
        <source>measuring quality</source>
        <translation>正在测量质量</translation>
    </message>
    <message>
        <source>calibrating rotations</source>
        <translation>正在校准旋转</translation>
    </message>
    <message>
        <source>measuring heads</source>
        <translation>正在测量头</translation>
    </message>
    <message>
        <source>Engine %1</source>
        <translation>引擎%1</translation>
    </message>
    <message>
        <source>measuring the precision</source>
        <translation>正在测量精度</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PredictedLossLabel</name>
    <message>
        <source>%1x</source>
        <translation>%1x</translation>
    </message>
    <message>
        <source>Predicted at %1: output error %2</source>
        <translation>%1 时的预测：输出误差 %2</translation>
    </message>
    <message>
        <source>; at %1, in force, %2</source>
        <translation>；当前 %1 时 %2</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>Its cost is not measured: %1.</source>
        <translation>其代价未测量：%1。</translation>
    </message>
    <message>
        <source>Trying ratios, %1 of %2…</source>
        <translation>正在试算压缩比，%1 / %2…</translation>
    </message>
    <message>
        <source>What the AM ratio costs</source>
        <translation>AM 压缩比的代价</translation>
    </message>
    <message>
        <source>Predicted at %1: output error about %2, between %3 and %4, which were tried</source>
        <translation>预计在 %1 时：输出误差约 %2，介于已试过的 %3 与 %4 之间</translation>
    </message>
    <message>
        <source>Predicted at %1: output error above %2, which is that of %3</source>
        <translation>预计在 %1 时：输出误差高于 %2，即 %3 时的误差</translation>
    </message>
    <message>
        <source>%1, as %2 already: %3.</source>
        <translation>%1，与 %2 时相同：%3。</translation>
    </message>
    <message>
        <source>Move the slider to measure what a ratio costs this text.</source>
        <translation>移动滑块即可测量某个压缩比对此文本的代价。</translation>
    </message>
    <message>
        <source>What it costs is measured after the next answer.</source>
        <translation>其代价在下一个回答之后测量。</translation>
    </message>
    <message>
        <source>Predicted at %1: %2 of the text&apos;s information kept, weakest passage %3; output error %4</source>
        <translation>%1 时的预测：保留文本信息的 %2，最弱段落 %3；输出误差 %4</translation>
    </message>
    <message>
        <source>The ratios of the slider are tried on a copy of this conversation&apos;s cache while nothing is asked, as a compaction would be carried out, and what the ratio asked for keeps is measured by having the model repeat the text. The error is that of the heads&apos; outputs on queries kept out of the fit, relative to the outputs: 0 is exact, at 1 nothing is left. It is the same figure that a compaction of this text reports afterwards; where heads are too many, some of them are tried, and its standard error stands beside it.</source>
        <translation>无提问时，在本对话缓存的副本上试算滑块的各压缩比，做法与真正的压缩相同；所请求压缩比保留多少信息，则让模型复述文本来测量。误差为各头输出在未参与拟合的查询上的相对误差：0 为精确，1 为什么都不剩。对同一文本压缩之后报告的是同一数值；头过多时只试算其中一部分，并在旁边给出标准误差。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DemoBar</name>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>End the demo</source>
        <translation>结束演示</translation>
    </message>
    <message>
        <source>Once more</source>
        <translation>再看一次</translation>
    </message>
    <message>
        <source>What now?</source>
        <translation>接下来做什么？</translation>
    </message>
    <message>
        <source>On to the next step as soon as this one is done.</source>
        <translation>此步完成后立即进入下一步。</translation>
    </message>
    <message>
        <source>Ways to go on: talk, load a model, tune.</source>
        <translation>接下来可以：对话、加载模型、调节。</translation>
    </message>
    <message>
        <source>Demo %1 of %2</source>
        <translation>演示 %1/%2</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>The demo is over</source>
        <translation>演示结束</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DownloadPage</name>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>reads what has come</source>
        <translation>正在读取已有部分</translation>
    </message>
    <message>
        <source>running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>all there</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>，剩余 %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>OWNER/NAME at the hub, or the address of a file. Nothing is asked before you press Look up.</source>
        <translation>模型库中的“所有者/名称”，或文件的地址。按“查找”之前不会发出任何请求。</translation>
    </message>
    <message>
        <source>OWNER/NAME or https://...</source>
        <translation>所有者/名称 或 https://...</translation>
    </message>
    <message>
        <source>Look up</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Ask the hub which models the repository has.</source>
        <translation>询问模型库该仓库有哪些模型。</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>模型库</translation>
    </message>
    <message>
        <source>Where names are looked up; a mirror&apos;s address goes here as well. Empty: the usual one.</source>
        <translation>在哪里查找名称；也可填镜像的地址。留空：默认模型库。</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Of your account at the hub, for models that it does not give to everybody. Sent to the hub alone, kept until this window closes, never written.</source>
        <translation>您在模型库的账户令牌，用于不公开提供的模型。只发给模型库，保留到此窗口关闭，从不写入磁盘。</translation>
    </message>
    <message>
        <source>not needed for most</source>
        <translation>大多数不需要</translation>
    </message>
    <message>
        <source>&amp;Token</source>
        <translation>令牌(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Hub</source>
        <translation>模型库(&amp;H)</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Models go into it.</source>
        <translation>模型存放于此。</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>选择...</translation>
    </message>
    <message>
        <source>Choose the folder for models</source>
        <translation>选择存放模型的文件夹</translation>
    </message>
    <message>
        <source>Allow http</source>
        <translation>允许 http</translation>
    </message>
    <message>
        <source>Also fetch unencrypted from other machines: anybody on the way can read and change what comes. Give a digest then.</source>
        <translation>也允许从其他机器不加密下载：途中任何人都能读取和改动内容。此时请提供摘要。</translation>
    </message>
    <message>
        <source>&amp;Folder</source>
        <translation>文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件数</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Models of the repository</source>
        <translation>仓库中的模型</translation>
    </message>
    <message>
        <source>SHA-&amp;256</source>
        <translation>SHA-&amp;256</translation>
    </message>
    <message>
        <source>as the hub says</source>
        <translation>采用模型库提供的值</translation>
    </message>
    <message>
        <source>Digest that the file must have, 64 digits, where you know one.</source>
        <translation>文件必须具有的摘要，64 个字符，如您知道的话。</translation>
    </message>
    <message>
        <source>SHA-256 digest</source>
        <translation>SHA-256 摘要</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Amount</source>
        <translation>已下载</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>What has come is kept.</source>
        <translation>已下载的部分会保留。</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Go on where it stopped, where that is safe.</source>
        <translation>在安全的情况下从停止处继续。</translation>
    </message>
    <message>
        <source>Remove...</source>
        <translation>移除...</translation>
    </message>
    <message>
        <source>Take it off this list; what has come of an unfinished one is deleted.</source>
        <translation>从此列表移除；未完成的已下载部分会被删除。</translation>
    </message>
    <message>
        <source>Folder for models</source>
        <translation>存放模型的文件夹</translation>
    </message>
    <message>
        <source>Remove a download</source>
        <translation>移除下载</translation>
    </message>
    <message>
        <source>Remove %1? The %2 that have come are deleted.</source>
        <translation>移除 %1？已下载的 %2 将被删除。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>%1 (folder of safetensors)</source>
        <translation>%1（safetensors 文件夹）</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>told by the hub</source>
        <translation>由模型库提供</translation>
    </message>
    <message>
        <source>not told</source>
        <translation>未提供</translation>
    </message>
    <message>
        <source>Asking %1...</source>
        <translation>正在询问 %1...</translation>
    </message>
    <message>
        <source>Nothing is asked and no socket is open before you look something up or resume a download.</source>
        <translation>在您查找或继续下载之前，不会发出请求，也不会打开套接字。</translation>
    </message>
    <message>
        <source>The chosen download</source>
        <translation>所选下载</translation>
    </message>
    <message>
        <source>%1: one model, which Download fetches.</source>
        <translation>%1：一个模型，按“下载”获取。</translation>
    </message>
    <message>
        <source>What a repository has stands here once it was looked up.</source>
        <translation>查询之后，仓库里的内容会列在这里。</translation>
    </message>
    <message>
        <source>Downloads stand here, with how far each of them is.</source>
        <translation>下载会列在这里，并显示各自的进度。</translation>
    </message>
    <message>
        <source>%1: Download fetches the chosen model.</source>
        <translation>%1：“下载”将获取所选模型。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::EventLogModel</name>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ExportDialog</name>
    <message>
        <source>Replace files of the same names there</source>
        <translation>替换其中的同名文件</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation>报告文件夹</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>选择...</translation>
    </message>
    <message>
        <source>Choose a folder for the report</source>
        <translation>选择报告文件夹</translation>
    </message>
    <message>
        <source>Preview of the report</source>
        <translation>报告预览</translation>
    </message>
    <message>
        <source>Write report</source>
        <translation>写入报告</translation>
    </message>
    <message>
        <source>Open report</source>
        <translation>打开报告</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>JSON, whole</source>
        <translation>JSON，完整</translation>
    </message>
    <message>
        <source>Everything, to be opened here and replayed on any machine.</source>
        <translation>全部内容，可在此打开，也可在任何机器上重放。</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>For paper and for people without Lacuna.</source>
        <translation>用于打印，或给没有 Lacuna 的人。</translation>
    </message>
    <message>
        <source>HTML</source>
        <translation>HTML</translation>
    </message>
    <message>
        <source>One page that opens in any browser.</source>
        <translation>可在任何浏览器中打开的单个页面。</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>For notes and issue trackers; needs the pictures.</source>
        <translation>用于笔记和问题跟踪；需要图片。</translation>
    </message>
    <message>
        <source>Tables (CSV)</source>
        <translation>表格（CSV）</translation>
    </message>
    <message>
        <source>Every sample, for spreadsheets.</source>
        <translation>每个样本，供电子表格使用。</translation>
    </message>
    <message>
        <source>Pictures (PNG)</source>
        <translation>图片（PNG）</translation>
    </message>
    <message>
        <source>Charts, maps and the window.</source>
        <translation>图表、图谱和窗口。</translation>
    </message>
    <message>
        <source>Parts of PDF, HTML and Markdown</source>
        <translation>PDF、HTML 和 Markdown 的内容</translation>
    </message>
    <message>
        <source>A report is being written.</source>
        <translation>正在写入报告。</translation>
    </message>
    <message>
        <source>Name a folder for the report.</source>
        <translation>请指定报告文件夹。</translation>
    </message>
    <message>
        <source>There is a file of that name.</source>
        <translation>已有同名文件。</translation>
    </message>
    <message>
        <source>Choose a document at least.</source>
        <translation>请至少选择一种文档。</translation>
    </message>
    <message>
        <source>This folder is not empty. Name another, or let files of the same names be replaced.</source>
        <translation>此文件夹不为空。请指定另一个，或允许替换同名文件。</translation>
    </message>
    <message>
        <source>Files of the same names there are replaced.</source>
        <translation>其中的同名文件将被替换。</translation>
    </message>
    <message>
        <source>The folder is made anew.</source>
        <translation>将新建此文件夹。</translation>
    </message>
    <message>
        <source>Writing...</source>
        <translation>正在写入...</translation>
    </message>
    <message>
        <source>Report written: %1 files in %2.</source>
        <translation>报告已写入：%2 中有 %1 个文件。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::FindBar</name>
    <message>
        <source>attached: %1</source>
        <translation>附件：%1</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Previous place (Shift+F3)</source>
        <translation>上一处（Shift+F3）</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Next place (F3)</source>
        <translation>下一处（F3）</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Enter goes to the next place, Shift+Enter to the one before.</source>
        <translation>Enter 转到下一处，Shift+Enter 转到上一处。</translation>
    </message>
    <message>
        <source>Places found</source>
        <translation>找到的位置</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation>关闭查找（Esc）</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>超过 %1</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Places: %1</source>
        <translation>位置：%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Other branch: %1</source>
        <translation>其他分支：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::FormatWindow</name>
    <message>
        <source>%1 (%2x)</source>
        <translation>%1（%2x）</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>asked for now</source>
        <translation>当前要求</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Keys / values</source>
        <translation>键 / 值</translation>
    </message>
    <message>
        <source>Bits a number</source>
        <translation>每数位数</translation>
    </message>
    <message>
        <source>Bytes a token</source>
        <translation>每词元字节</translation>
    </message>
    <message>
        <source>Mean KL</source>
        <translation>平均 KL</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Same likeliest</source>
        <translation>首选相同</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回</translation>
    </message>
    <message>
        <source>Tokens/s (of f16)</source>
        <translation>词元/秒（占 f16）</translation>
    </message>
    <message>
        <source>Presets first, then the other formats that were measured.</source>
        <translation>先列预设，再列其他已测格式。</translation>
    </message>
    <message>
        <source>t8 to t1 are rotated codes of so many bits, q8_0 and q4_0 codes in groups.</source>
        <translation>t8 至 t1 为相应位数的旋转编码，q8_0 和 q4_0 为分组编码。</translation>
    </message>
    <message>
        <source>Live bits for each number that is held, scales and positions counted.</source>
        <translation>每个保留数值占用的位数，含缩放和位置。</translation>
    </message>
    <message>
        <source>Live bytes over all layers for each token that was read, mean over the texts.</source>
        <translation>所有层中每个已读词元占用的字节，各文本均值。</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from that of 16 bits, in nats, mean over running text.</source>
        <translation>下一词元分布相对 16 位的散度，单位奈特，连续文本均值。</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>同上，取位置的第 99 百分位。</translation>
    </message>
    <message>
        <source>Share of positions with the same likeliest token.</source>
        <translation>最可能词元相同的位置占比。</translation>
    </message>
    <message>
        <source>Of the dialogues that 16 bits answer, those answered right with this format.</source>
        <translation>16 位能答对的对话中，此格式答对的数量。</translation>
    </message>
    <message>
        <source>Decoding, median of rounds that take turns with 16 bits, and the median of the ratios to those.</source>
        <translation>解码，与 16 位交替运行各轮的中位数，以及与其比值的中位数。</translation>
    </message>
    <message>
        <source>Why this model cannot have it, or that it is asked for now.</source>
        <translation>此模型为何不能使用，或是否为当前要求。</translation>
    </message>
    <message>
        <source>%1 bytes a token allocated.</source>
        <translation>每词元分配 %1 字节。</translation>
    </message>
    <message>
        <source>Cache formats of this model</source>
        <translation>此模型的缓存格式</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Put the table on the clipboard, as Markdown.</source>
        <translation>将表格以 Markdown 复制到剪贴板。</translation>
    </message>
    <message>
        <source>The table is on the clipboard.</source>
        <translation>表格已复制到剪贴板。</translation>
    </message>
    <message>
        <source>Presets and formats of the cache</source>
        <translation>缓存的预设和格式</translation>
    </message>
    <message>
        <source>Use what passes</source>
        <translation>使用通过者</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>使用此项</translation>
    </message>
    <message>
        <source>1 to 8 bits in rotated codes, or 16 bits.</source>
        <translation>旋转编码 1 至 8 位，或 16 位。</translation>
    </message>
    <message>
        <source>Bits of keys</source>
        <translation>键的位数</translation>
    </message>
    <message>
        <source>Bits of values</source>
        <translation>值的位数</translation>
    </message>
    <message>
        <source>Use these bits</source>
        <translation>使用这些位数</translation>
    </message>
    <message>
        <source>%1 was sent to the engine; caches in use are coded again between steps.</source>
        <translation>已将 %1 发送给引擎；使用中的缓存会在步骤之间重新编码。</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>Nothing of this model is measured yet.</source>
        <translation>此模型尚无测量结果。</translation>
    </message>
    <message>
        <source>Which format is the smallest that passes is known once they are measured.</source>
        <translation>测量之后才知道哪个是能通过的最小格式。</translation>
    </message>
    <message>
        <source>No format is known to pass.</source>
        <translation>没有已知能通过的格式。</translation>
    </message>
    <message>
        <source>Keep keys and values as %1 from now on.</source>
        <translation>从现在起键和值以 %1 保存。</translation>
    </message>
    <message>
        <source>Choose a row first.</source>
        <translation>请先选择一行。</translation>
    </message>
    <message>
        <source>It is what is asked for now.</source>
        <translation>这就是当前要求的格式。</translation>
    </message>
    <message>
        <source>A format that is no preset, with every token kept.</source>
        <translation>非预设格式，保留每个词元。</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Set all that belongs to it.</source>
        <translation>设置与之相关的全部选项。</translation>
    </message>
    <message>
        <source>%1 for %2 tokens; as asked for now %3.</source>
        <translation>%2 个词元占 %1；按当前要求 %3。</translation>
    </message>
    <message>
        <source>These bits are asked for now.</source>
        <translation>这些位数就是当前要求。</translation>
    </message>
    <message>
        <source>%1 of %2 texts so far</source>
        <translation>目前 %2 个文本中的 %1 个</translation>
    </message>
    <message>
        <source>no byte saved in %1 short texts</source>
        <translation>有 %1 个短文本未节省任何字节</translation>
    </message>
    <message>
        <source>%1 texts left out</source>
        <translation>略过 %1 个文本</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuardedApplication</name>
    <message>
        <source>There was not enough memory for that. Nothing that was saved is lost.</source>
        <translation>内存不足，无法完成。已保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>That did not work: %1</source>
        <translation>未能完成：%1</translation>
    </message>
    <message>
        <source>That did not work.</source>
        <translation>未能完成。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuidedDemo</name>
    <message>
        <source>The demo&apos;s text was not found: texts/opening_prompts.json is missing or does not name a text and questions; looked in %1.</source>
        <translation>未找到演示文本：texts/opening_prompts.json 缺失，或没有给出文本和问题；查找位置：%1。</translation>
    </message>
    <message>
        <source>The guided demo was stopped. Settings are as they were before.</source>
        <translation>演示已停止。设置与之前相同。</translation>
    </message>
    <message>
        <source>loading the bundled model</source>
        <translation>正在加载自带模型</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>a little talk first: temperature 0, compression off</source>
        <translation>先聊几句：温度 0，压缩关闭</translation>
    </message>
    <message>
        <source>it is asked: %1</source>
        <translation>提问：%1</translation>
    </message>
    <message>
        <source>the whole cache</source>
        <translation>完整缓存</translation>
    </message>
    <message>
        <source>nothing of it is given up</source>
        <translation>不放弃任何内容</translation>
    </message>
    <message>
        <source>the evicted cache</source>
        <translation>驱逐后的缓存</translation>
    </message>
    <message>
        <source>512 slots a head are kept of it by their keys alone</source>
        <translation>仅按键保留每头 512 个槽位</translation>
    </message>
    <message>
        <source>attention matching</source>
        <translation>注意力匹配</translation>
    </message>
    <message>
        <source>it is made 4 times smaller by attention matching</source>
        <translation>用注意力匹配缩小到四分之一</translation>
    </message>
    <message>
        <source>a new conversation; once the text is read, %1</source>
        <translation>新对话；文本读完后，%1</translation>
    </message>
    <message>
        <source>a long text with facts hidden in it: %1; %2</source>
        <translation>一段藏有事实的长文本：%1；%2</translation>
    </message>
    <message>
        <source>it is read and compacted, before any question</source>
        <translation>在提问之前读取并压缩</translation>
    </message>
    <message>
        <source>it is read, before any question</source>
        <translation>在提问之前读取</translation>
    </message>
    <message>
        <source>%1 is asked: %2</source>
        <translation>向%1提问：%2</translation>
    </message>
    <message>
        <source>a longer answer; the ratio moves to 8 while it is written</source>
        <translation>较长的回答；生成期间压缩比调为 8</translation>
    </message>
    <message>
        <source>ratio %1 is refused, with the reason and the nearest valid value</source>
        <translation>压缩比 %1 被拒绝，并给出原因和最接近的有效值</translation>
    </message>
    <message>
        <source>the offered value is taken and the cache compacted</source>
        <translation>采用建议值并压缩缓存</translation>
    </message>
    <message>
        <source>back to the conversation of the evicted cache: words struck out are evicted everywhere</source>
        <translation>回到驱逐缓存的对话：划线的词已在各处被驱逐</translation>
    </message>
    <message>
        <source>and its cache map: which layers and heads still hold which tokens</source>
        <translation>及其缓存图：哪些层和头仍保留哪些词元</translation>
    </message>
    <message>
        <source>The window with the cache map</source>
        <translation>带缓存图的窗口</translation>
    </message>
    <message>
        <source>the charts again, over the whole session</source>
        <translation>再看整个会话的图表</translation>
    </message>
    <message>
        <source>writing the report</source>
        <translation>正在写入报告</translation>
    </message>
    <message>
        <source>%2 of %3 right with %1</source>
        <translation>%1：%3 题答对 %2 题</translation>
    </message>
    <message>
        <source>%1 (lost: %2)</source>
        <translation>%1（丢失：%2）</translation>
    </message>
    <message>
        <source>Guided demo done: %1. %2 compactions. Report in %3</source>
        <translation>演示完成：%1。压缩 %2 次。报告位于 %3</translation>
    </message>
    <message>
        <source>The demo stopped at &quot;%1&quot;: nothing happened for %2.</source>
        <translation>演示停在“%1”：%2 内没有动静。</translation>
    </message>
    <message>
        <source>The model reads four pages, with facts hidden in them. Its memory of them is the cache: watch KV bytes rise in the charts below.</source>
        <translation>模型正在阅读四页文本，其中藏有一些事实。它对文本的记忆就是缓存：请看下方图表中 KV 字节上升。</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>It is asked for one of the facts: %1</source>
        <translation>向它询问其中一个事实：%1</translation>
    </message>
    <message>
        <source>Now the cache is made four times smaller. Attention matching keeps a quarter of the slots, fitted so that the model looks at them as it looked at all: the bytes fall.</source>
        <translation>现在把缓存缩小到四分之一。注意力匹配保留四分之一的槽位，并加以拟合，使模型看它们就像看全部一样：字节下降。</translation>
    </message>
    <message>
        <source>a quarter of it</source>
        <translation>其四分之一</translation>
    </message>
    <message>
        <source>Another fact is asked of the quarter that is left: %1</source>
        <translation>向剩下的四分之一询问另一个事实：%1</translation>
    </message>
    <message>
        <source>That was it: %1. Settings are as they were before.</source>
        <translation>演示完毕：%1。设置已恢复原样。</translation>
    </message>
    <message>
        <source>Tinted words show what the cache still holds of each: kept, merged into others, or gone. F7 shows it at any time.</source>
        <translation>着色的词显示缓存仍保留了什么：保留、与其他合并或已消失。随时按 F7 查看。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::HeatMapView</name>
    <message>
        <source>%1 down, %2 across</source>
        <translation>纵向%1，横向%2</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingNumberField</name>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingsPanel</name>
    <message>
        <source>All settings in force</source>
        <translation>所有设置均已生效</translation>
    </message>
    <message>
        <source>Draft: waits to be applied</source>
        <translation>草稿：等待应用</translation>
    </message>
    <message>
        <source>Draft: sent after a moment&apos;s rest</source>
        <translation>草稿：稍候发送</translation>
    </message>
    <message>
        <source>Sent to the engine</source>
        <translation>已发送给引擎</translation>
    </message>
    <message>
        <source>Pending: next token</source>
        <translation>待生效：下一个词元</translation>
    </message>
    <message>
        <source>Applied after %1</source>
        <translation>已应用，用时 %1</translation>
    </message>
    <message>
        <source>Rejected: see the setting</source>
        <translation>被拒绝：见该设置</translation>
    </message>
    <message>
        <source>Superseded by a newer change</source>
        <translation>已被更新的更改取代</translation>
    </message>
    <message>
        <source>Rolled back</source>
        <translation>已回滚</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Set every setting back to the value the program started with</source>
        <translation>将所有设置恢复为程序启动时的值</translation>
    </message>
    <message>
        <source>Reset all settings</source>
        <translation>重置所有设置</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>No change of a setting to take back</source>
        <translation>没有可撤销的设置更改</translation>
    </message>
    <message>
        <source>Back to: %1</source>
        <translation>恢复为：%1</translation>
    </message>
    <message>
        <source>Undo setting</source>
        <translation>撤销设置</translation>
    </message>
    <message>
        <source>Cache settings for this conversation only</source>
        <translation>缓存设置仅用于此对话</translation>
    </message>
    <message>
        <source>Method, ratio, budget and all else about its cache are then its own: a change here reaches no other conversation, and a change made elsewhere does not reach this one. Sampling and the run stay the same for all.</source>
        <translation>方法、压缩比、预算及其他缓存设置将为其独有：此处的更改不影响其他对话，别处的更改也不影响此对话。采样和运行设置仍对所有对话相同。</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>More on compression</source>
        <translation>更多压缩设置</translation>
    </message>
    <message>
        <source>Cache and run</source>
        <translation>缓存与运行</translation>
    </message>
    <message>
        <source>%1, show or hide</source>
        <translation>%1，显示或隐藏</translation>
    </message>
    <message>
        <source>generation %1</source>
        <translation>版本 %1</translation>
    </message>
    <message>
        <source>Applied</source>
        <translation>已应用</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingRow</name>
    <message>
        <source>draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source> pending</source>
        <translation> 待生效</translation>
    </message>
    <message>
        <source> applied</source>
        <translation> 已应用</translation>
    </message>
    <message>
        <source> rejected</source>
        <translation> 被拒绝</translation>
    </message>
    <message>
        <source>superseded</source>
        <translation>已被取代</translation>
    </message>
    <message>
        <source> rolled back</source>
        <translation> 已回滚</translation>
    </message>
    <message>
        <source>Now: %1.</source>
        <translation>当前：%1。</translation>
    </message>
    <message>
        <source>Key for --set: %1</source>
        <translation>--set 键名：%1</translation>
    </message>
    <message>
        <source>%1 slider</source>
        <translation>%1滑块</translation>
    </message>
    <message>
        <source>none, or 0,1</source>
        <translation>无，或 0,1</translation>
    </message>
    <message>
        <source>Use the nearest valid value of %1</source>
        <translation>使用%1最接近的有效值</translation>
    </message>
    <message>
        <source>Keep the value in force</source>
        <translation>保留当前值</translation>
    </message>
    <message>
        <source>Keep the value in force of %1</source>
        <translation>保留%1的当前值</translation>
    </message>
    <message>
        <source>in force %1</source>
        <translation>当前 %1</translation>
    </message>
    <message>
        <source>%1: asked for %2, in force %3. %4</source>
        <translation>%1：要求 %2，当前 %3。%4</translation>
    </message>
    <message>
        <source>Use %1 %2</source>
        <translation>使用 %1 %2</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::LogWindow</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Lines shown</source>
        <translation>显示的行</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Words a line must contain</source>
        <translation>行中必须包含的词</translation>
    </message>
    <message>
        <source>The chosen lines</source>
        <translation>所选的行</translation>
    </message>
    <message>
        <source>Choose lines to read them whole.</source>
        <translation>选择行以查看全文。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Put the chosen lines on the clipboard, or all that are shown.</source>
        <translation>将所选的行复制到剪贴板；未选择时复制所有显示的行。</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Show the folder where the file of this log lies.</source>
        <translation>显示日志文件所在的文件夹。</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 / %2 行</translation>
    </message>
    <message>
        <source>This run keeps no log on disk.</source>
        <translation>本次运行不在磁盘上保存日志。</translation>
    </message>
    <message>
        <source>Event log</source>
        <translation>事件日志</translation>
    </message>
    <message>
        <source>Where lines come from</source>
        <translation>行的来源</translation>
    </message>
    <message>
        <source>Session and program</source>
        <translation>会话和程序</translation>
    </message>
    <message>
        <source>Session only</source>
        <translation>仅会话</translation>
    </message>
    <message>
        <source>Program&apos;s log only</source>
        <translation>仅程序日志</translation>
    </message>
    <message>
        <source>Answers, compactions and settings that went their way</source>
        <translation>顺利完成的回答、压缩和设置</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MainWindow</name>
    <message>
        <source>Lacuna</source>
        <translation>Lacuna</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Tuning</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>Telemetry</source>
        <translation>遥测</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Cache map</source>
        <translation>缓存图</translation>
    </message>
    <message>
        <source>sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>tuning</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>telemetry</source>
        <translation>遥测</translation>
    </message>
    <message>
        <source>cache map</source>
        <translation>缓存图</translation>
    </message>
    <message>
        <source>timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Main</source>
        <translation>主工具栏</translation>
    </message>
    <message>
        <source>Start the demo</source>
        <translation>开始演示</translation>
    </message>
    <message>
        <source>New here? In twenty seconds a demo shows what remembering costs and what compaction saves.</source>
        <translation>初次使用？二十秒的演示会展示记忆的代价和压缩节省了什么。</translation>
    </message>
    <message>
        <source>%1, which was in use last, does not load: %2 The model that ships with Lacuna answers.</source>
        <translation>上次使用的 %1 无法加载：%2 现由随 Lacuna 提供的模型回答。</translation>
    </message>
    <message>
        <source>The window that is open already goes on with this.</source>
        <translation>已经打开的窗口会接着处理。</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 不存在。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProgressFooter</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Stop the measurement</source>
        <translation>停止测量</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Waiting for the engine…</source>
        <translation>等待引擎…</translation>
    </message>
    <message>
        <source>%1 of %2 measured</source>
        <comment>settings on answers</comment>
        <translation>已测量 %1 / %2</translation>
    </message>
    <message>
        <source>Answering under A, %1 of at most %2 tokens</source>
        <translation>A 正在回答，%1 / 最多 %2 个词元</translation>
    </message>
    <message>
        <source>Answering under B, %1 of at most %2 tokens</source>
        <translation>B 正在回答，%1 / 最多 %2 个词元</translation>
    </message>
    <message>
        <source>, about %1 left</source>
        <translation>，约剩 %1</translation>
    </message>
    <message>
        <source>%1 (Ctrl+Enter)</source>
        <translation>%1 (Ctrl+Enter)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MemoryPlanChart</name>
    <message>
        <source>Planned</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>内存规划</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1: planned %2</source>
        <translation>%1：规划 %2</translation>
    </message>
    <message>
        <source>, measured %1</source>
        <translation>，实测 %1</translation>
    </message>
    <message>
        <source>fits here</source>
        <translation>可放入</translation>
    </message>
    <message>
        <source>room for %1 of %2 tokens</source>
        <translation>可放 %1 / %2 个词元</translation>
    </message>
    <message>
        <source>cache %1, %2 tokens</source>
        <translation>%1 缓存，%2 个词元</translation>
    </message>
    <message>
        <source>when it is loaded</source>
        <translation>加载后显示</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>空闲 %1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MemoryWindow</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>已缓存</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>From where, or why not</source>
        <translation>来源或未复用的原因</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>私密</translation>
    </message>
    <message>
        <source>Tokens in its own cache after its last step in this run</source>
        <translation>本次运行最后一步之后其自身缓存中的词元</translation>
    </message>
    <message>
        <source>What these take</source>
        <translation>这些词元的占用</translation>
    </message>
    <message>
        <source>Of the prompt of its last question, the part that was not read again</source>
        <translation>上个问题的提示词中未重新读取的部分</translation>
    </message>
    <message>
        <source>Where the reused part came from, or why there was not more</source>
        <translation>复用部分的来源，或未能更多的原因</translation>
    </message>
    <message>
        <source>What is said from now on is stored nowhere for other conversations, and takes nothing from there. What was stored before stays until it is cleared.</source>
        <translation>从现在起所说的内容不会为其他对话存储，也不取用那里的内容。之前存储的内容在清除前仍保留。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>private</source>
        <translation>私密</translation>
    </message>
    <message>
        <source>not private</source>
        <translation>非私密</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>What was read is kept, and conversations, branches and requests that begin alike need not read it again.</source>
        <translation>已读取的内容会保留，开头相同的对话、分支和请求无需重新读取。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Keep it after all</source>
        <translation>仍然保留</translation>
    </message>
    <message>
        <source>Conversations and what each has in memory</source>
        <translation>各对话及其内存占用</translation>
    </message>
    <message>
        <source>Nothing has been asked in this run</source>
        <translation>本次运行尚未提问</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens came from a cache (%3)</source>
        <translation>%2 个提示词词元中有 %1 个来自缓存（%3）</translation>
    </message>
    <message>
        <source>Caches of conversations take %1 now. The caches of four stay; the one used longest ago is given back for another, and its conversation then begins from what is kept above.</source>
        <translation>对话缓存现占 %1。保留四个对话的缓存；最久未用的会让给其他对话，该对话随后从上方保留的内容开始。</translation>
    </message>
    <message>
        <source>What is kept in memory goes in %1 s.</source>
        <translation>内存中保留的内容将在 %1 秒后清除。</translation>
    </message>
    <message>
        <source>What is kept on disk goes in %1 s.</source>
        <translation>磁盘上保留的内容将在 %1 秒后清除。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageEditor</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Edit this question</source>
        <translation>编辑此问题</translation>
    </message>
    <message>
        <source>Edit this answer</source>
        <translation>编辑此回答</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Put this in place of the answer (Ctrl+Enter)</source>
        <translation>用此内容代替原回答（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Leave the message as it is (Esc)</source>
        <translation>保持消息不变（Esc）</translation>
    </message>
    <message>
        <source>What stood here stays as another branch.</source>
        <translation>原来的内容保留为另一个分支。</translation>
    </message>
    <message>
        <source>%1 About %2 tokens are read for the answer, the rest is kept.</source>
        <translation>%1 回答约需读取 %2 个词元，其余已保留。</translation>
    </message>
    <message>
        <source>Enter asks, Shift+Enter starts a new line, Esc cancels. What stood there stays as another branch.</source>
        <translation>Enter 提问，Shift+Enter 换行，Esc 取消。原有内容保留为另一分支。</translation>
    </message>
    <message>
        <source>Ctrl+Enter replaces the answer, Esc cancels. What stood there stays as another branch.</source>
        <translation>Ctrl+Enter 替换回答，Esc 取消。原有内容保留为另一分支。</translation>
    </message>
    <message>
        <source>Ask this in place of the question (Enter)</source>
        <translation>以此代替原问题提问（Enter）</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageText</name>
    <message>
        <source>Copy this block of code</source>
        <translation>复制此代码块</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>复制 %1</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageView</name>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>%1 prompt tokens</source>
        <translation>提示词 %1 个词元</translation>
    </message>
    <message>
        <source> (%1 cached)</source>
        <translation>（%1 已缓存）</translation>
    </message>
    <message>
        <source>%1 answered</source>
        <translation>回答 %1</translation>
    </message>
    <message>
        <source>first token %1</source>
        <translation>首词元 %1</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 词元/秒</translation>
    </message>
    <message>
        <source>1 compaction</source>
        <translation>压缩 1 次</translation>
    </message>
    <message>
        <source>%1 compactions</source>
        <translation>压缩 %1 次</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制此消息</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Answer the last question again</source>
        <translation>重新回答最后一个问题</translation>
    </message>
    <message>
        <source>%1  %2, %3 characters</source>
        <translation>%1  %2，%3 个字符</translation>
    </message>
    <message>
        <source>Message of %1</source>
        <translation>%1的消息</translation>
    </message>
    <message>
        <source>Show %1 of %2 characters</source>
        <translation>显示 %1 / %2 个字符</translation>
    </message>
    <message>
        <source>Show all %1 characters</source>
        <translation>显示全部 %1 个字符</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>A long message is folded. Copy takes all of it.</source>
        <translation>长消息已折叠。复制时包含全文。</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>正在读取提示词</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>Regenerate (reads %1 tokens)</source>
        <translation>重新生成（读取 %1 个词元）</translation>
    </message>
    <message>
        <source>Answer the last question again. Its %1 tokens are read again, because the cache was compacted or given back since.</source>
        <translation>重新回答最后一个问题。其 %1 个词元将重新读取，因为缓存此后已被压缩或释放。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Write this answer on from where it ended</source>
        <translation>从此回答结束处继续生成</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>编辑此消息</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>删除分支</translation>
    </message>
    <message>
        <source>Delete this branch with all that follows it; can be undone</source>
        <translation>删除此分支及其后的全部内容；可以撤销</translation>
    </message>
    <message>
        <source>Pinned: no compaction forgets these words (%1 tokens).</source>
        <translation>已固定：任何压缩都不会遗忘这些词语（%1 个词元）。</translation>
    </message>
    <message>
        <source>Pinned: no compaction forgets these words.</source>
        <translation>已固定：任何压缩都不会遗忘这些词语。</translation>
    </message>
    <message numerus="yes">
        <source>%n pinned</source>
        <translation>
            <numerusform>%n 处固定</numerusform>
        </translation>
    </message>
    <message>
        <source>Answer the last question again. This answer stays as another branch.</source>
        <translation>重新回答上一个问题。此回答保留为另一个分支。</translation>
    </message>
    <message>
        <source>Answer this question again. What follows stays as another branch.</source>
        <translation>重新回答此问题。其后的内容保留为另一个分支。</translation>
    </message>
    <message>
        <source>%1 tokens came back for this question</source>
        <translation>为此问题找回了 %1 个词元</translation>
    </message>
    <message>
        <source>Show the attached text %1</source>
        <translation>显示附加的文本 %1</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelBar</name>
    <message>
        <source>%1 M parameters</source>
        <translation>%1 M 参数</translation>
    </message>
    <message>
        <source>%1 B parameters</source>
        <translation>%1 B 参数</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>上下文 %1</translation>
    </message>
    <message>
        <source>measuring its heads: %1 %</source>
        <translation>正在测量各头：%1 %</translation>
    </message>
    <message>
        <source>measuring its quality: %1 %</source>
        <translation>正在测量质量：%1 %</translation>
    </message>
    <message>
        <source>%1
%2 layers, %3 query heads, %4 key heads of size %5, vocabulary %6
Licence: %7
Precision: %8
%9
%10</source>
        <translation>%1
%2 层，%3 个查询头，%4 个键头，头维度 %5，词表 %6
许可证：%7
精度：%8
%9
%10</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>as set</source>
        <translation>按设置</translation>
    </message>
    <message>
        <source>Model load progress</source>
        <translation>模型加载进度</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>Model not loaded</source>
        <translation>模型未加载</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>正在加载 %1</translation>
    </message>
    <message>
        <source>%1
The local model stays loaded and answers again once this is disconnected.
%2</source>
        <translation>%1
本地模型保持加载，断开连接后恢复回答。
%2</translation>
    </message>
    <message>
        <source>measuring its precision: %1 %</source>
        <translation>正在测量精度：%1 %</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>跳过测量</translation>
    </message>
    <message>
        <source>Leave the precision unmeasured: answers are computed with 8 bits in two terms, which every model bears.</source>
        <translation>不测量精度：回答以任何模型都能承受的双项 8 位计算。</translation>
    </message>
    <message>
        <source>fitting its surrogate: %1 %</source>
        <translation>正在拟合其代理：%1 %</translation>
    </message>
    <message>
        <source>Fit no surrogate: a text is repeated, between answers, where it is to be known which of its tokens are needed.</source>
        <translation>不拟合代理：需要知道文本中哪些词元被需要时，在回答之间复述文本。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelDetails</name>
    <message>
        <source>Model details</source>
        <translation>模型详情</translation>
    </message>
    <message>
        <source>Load this model</source>
        <translation>加载此模型</translation>
    </message>
    <message>
        <source>Quality…</source>
        <translation>质量…</translation>
    </message>
    <message>
        <source>What compaction costs this model: methods by ratios, measured here.</source>
        <translation>压缩对此模型的代价：各方法各压缩比，在此测得。</translation>
    </message>
    <message>
        <source>Connect to an engine…</source>
        <translation>连接引擎…</translation>
    </message>
    <message>
        <source>Let an engine elsewhere answer, with a model that does not fit here.</source>
        <translation>让别处的引擎用此处放不下的模型回答。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Put the page on the clipboard as text.</source>
        <translation>将此页以文本复制到剪贴板。</translation>
    </message>
    <message>
        <source>This file cannot be used: %1</source>
        <translation>无法使用此文件：%1</translation>
    </message>
    <message>
        <source>This model is loaded.</source>
        <translation>此模型已加载。</translation>
    </message>
    <message>
        <source>This model can be loaded.</source>
        <translation>此模型可以加载。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelsWindow</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Memory here</source>
        <translation>本机内存</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>On disk, all of its files.</source>
        <translation>磁盘上全部文件的大小。</translation>
    </message>
    <message>
        <source>Architecture, layers and width.</source>
        <translation>架构、层数和宽度。</translation>
    </message>
    <message>
        <source>Number format of most of its weights.</source>
        <translation>多数权重的数值格式。</translation>
    </message>
    <message>
        <source>Tokens it was trained for.</source>
        <translation>训练时的词元数。</translation>
    </message>
    <message>
        <source>By the engine&apos;s own plan: the weights, one step and the caches of all answers at the trained context, against what is free now, with the settings in force.</source>
        <translation>按引擎自身的规划：权重、一个步骤以及所有回答在训练上下文下的缓存，与当前空闲内存相比，使用当前生效的设置。</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>可放入</translation>
    </message>
    <message>
        <source>%1 tokens fit</source>
        <translation>可放 %1 个词元</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>being read...</source>
        <translation>正在读取...</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>ships with Lacuna</source>
        <translation>随 Lacuna 提供</translation>
    </message>
    <message>
        <source>downloaded</source>
        <translation>已下载</translation>
    </message>
    <message>
        <source>drafts by %1</source>
        <translation>草稿来自 %1</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Models, downloads and preparing</source>
        <translation>模型、下载和准备</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>%1 has arrived.</source>
        <translation>%1 已下载完成。</translation>
    </message>
    <message>
        <source>Models on this machine</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Enter loads the chosen one.</source>
        <translation>按回车加载所选模型。</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>所选模型</translation>
    </message>
    <message>
        <source>Add folder...</source>
        <translation>添加文件夹...</translation>
    </message>
    <message>
        <source>Look for models in a folder, now and at every start.</source>
        <translation>在文件夹中查找模型，现在和每次启动时。</translation>
    </message>
    <message>
        <source>Add model...</source>
        <translation>添加模型...</translation>
    </message>
    <message>
        <source>Put a GGUF file on the list; it stays where it is.</source>
        <translation>将 GGUF 文件加入列表；文件留在原处。</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Which folders are looked through; choosing one forgets it. Nothing in it is deleted.</source>
        <translation>正在查找的文件夹；选择某个即可不再查找。其中的内容不会被删除。</translation>
    </message>
    <message>
        <source>Load the last model at the start</source>
        <translation>启动时加载上次的模型</translation>
    </message>
    <message>
        <source>The model in use when Lacuna ended, however it ended, is loaded again at the next start.</source>
        <translation>无论 Lacuna 以何种方式结束，当时使用的模型会在下次启动时重新加载。</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Memory plan as a table</source>
        <translation>内存规划表格</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Show the plan as a table, and back (F4).</source>
        <translation>将规划显示为表格，再按返回（F4）。</translation>
    </message>
    <message>
        <source>Plan as a table</source>
        <translation>规划表格</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>从列表移除</translation>
    </message>
    <message>
        <source>The file stays where it is.</source>
        <translation>文件留在原处。</translation>
    </message>
    <message>
        <source>Delete files...</source>
        <translation>删除文件...</translation>
    </message>
    <message>
        <source>Delete a downloaded model from the disk, after a question.</source>
        <translation>经确认后从磁盘删除下载的模型。</translation>
    </message>
    <message>
        <source>Details...</source>
        <translation>详情...</translation>
    </message>
    <message>
        <source>Shape, tensors, tokenizer and the whole plan.</source>
        <translation>结构、张量、分词器和完整规划。</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Give the memory of the model in use back.</source>
        <translation>释放当前模型的内存。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop loading; the model before stays in use.</source>
        <translation>停止加载；继续使用之前的模型。</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Load the chosen model; conversations stay.</source>
        <translation>加载所选模型；对话保留。</translation>
    </message>
    <message>
        <source>Progress of loading</source>
        <translation>加载进度</translation>
    </message>
    <message>
        <source>Folder with models</source>
        <translation>含模型的文件夹</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Models (*.gguf);;All files (*)</source>
        <translation>模型 (*.gguf);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Looking for models in %1.</source>
        <translation>正在 %1 中查找模型。</translation>
    </message>
    <message>
        <source>Delete a model</source>
        <translation>删除模型</translation>
    </message>
    <message>
        <source>Delete %1 from the disk? This cannot be taken back.</source>
        <translation>从磁盘删除 %1？此操作无法撤销。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>%1 was deleted.</source>
        <translation>已删除 %1。</translation>
    </message>
    <message>
        <source>Forget %1</source>
        <translation>不再查找 %1</translation>
    </message>
    <message>
        <source>No folder was added yet</source>
        <translation>尚未添加文件夹</translation>
    </message>
    <message>
        <source>Choose a model.</source>
        <translation>请选择模型。</translation>
    </message>
    <message>
        <source>%1 is being loaded.</source>
        <translation>正在加载 %1。</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>No models yet: add a folder, drop a file here, or download one.</source>
        <translation>还没有模型：请添加文件夹、将文件拖到此处，或下载一个。</translation>
    </message>
    <message>
        <source>Choose a model to see what it takes.</source>
        <translation>选择模型以查看其内存需求。</translation>
    </message>
    <message>
        <source>The file is being read.</source>
        <translation>正在读取文件。</translation>
    </message>
    <message>
        <source>There is no plan for a model that would not load.</source>
        <translation>无法加载的模型没有规划。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::NoticeBar</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Dismiss this notice</source>
        <translation>关闭此通知</translation>
    </message>
    <message>
        <source>Do what the notice offers</source>
        <translation>执行通知提供的操作</translation>
    </message>
    <message>
        <source>Problem: %1</source>
        <translation>问题：%1</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>通知</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PanelDock</name>
    <message>
        <source>Hide %1; the View menu shows it again</source>
        <translation>隐藏%1；可从“视图”菜单重新显示</translation>
    </message>
    <message>
        <source>Hide %1</source>
        <translation>隐藏%1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ParetoPlot</name>
    <message>
        <source>KL, nats (mean)</source>
        <translation>KL，奈特（均值）</translation>
    </message>
    <message>
        <source>other likeliest token, share</source>
        <translation>最可能词元不同的占比</translation>
    </message>
    <message>
        <source>attention output error</source>
        <translation>注意力输出误差</translation>
    </message>
    <message>
        <source>%1: nothing was evicted, so nothing was measured</source>
        <translation>%1：没有驱逐，因此未测量</translation>
    </message>
    <message>
        <source>%1: %2 of the bytes, KL %3, %4 same likeliest token</source>
        <translation>%1：字节 %2，KL %3，最可能词元相同 %4</translation>
    </message>
    <message>
        <source>, output error %1</source>
        <translation>，输出误差 %1</translation>
    </message>
    <message>
        <source>Bytes and loss of every setting</source>
        <translation>各设置的字节与损失</translation>
    </message>
    <message>
        <source>%1 settings; the arrow keys go from one to the next in the order of bytes.</source>
        <translation>%1 组设置；用方向键按字节顺序逐个移动。</translation>
    </message>
    <message>
        <source>Each setting becomes a point here: live bytes across, what is lost upward.</source>
        <translation>每组设置在此成为一个点：横向为占用字节，纵向为损失。</translation>
    </message>
    <message>
        <source>Nothing was measured of this.</source>
        <translation>此项没有测量结果。</translation>
    </message>
    <message>
        <source>live bytes, % of an uncompressed cache</source>
        <translation>占用字节，占未压缩缓存的 %</translation>
    </message>
    <message>
        <source>%1: not tried yet</source>
        <translation>%1：尚未尝试</translation>
    </message>
    <message>
        <source>Each setting becomes a point as soon as it was tried.</source>
        <translation>每组设置一经尝试即成为一个点。</translation>
    </message>
    <message>
        <source>The first setting is being tried.</source>
        <translation>正在尝试第一组设置。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PinsDialog</name>
    <message>
        <source>Go to</source>
        <translation>前往</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Unpin all</source>
        <translation>全部取消固定</translation>
    </message>
    <message>
        <source>Pinned words</source>
        <translation>固定的词语</translation>
    </message>
    <message>
        <source>Pinned words of this conversation</source>
        <translation>此对话中固定的词语</translation>
    </message>
    <message>
        <source>Nothing is pinned. Mark words in the chat and choose Pin: no compaction forgets them from then on.</source>
        <translation>没有固定的内容。请在聊天中选中词语并选择“固定”：此后任何压缩都不会遗忘它们。</translation>
    </message>
    <message>
        <source>No compaction forgets these words. Their tokens are counted with the next question.</source>
        <translation>任何压缩都不会遗忘这些词语。其词元数将在下一个问题时统计。</translation>
    </message>
    <message>
        <source>%1 (tokens: %2, forgotten before: %3)</source>
        <translation>%1（词元：%2，此前已遗忘：%3）</translation>
    </message>
    <message>
        <source>%1 (tokens: %2)</source>
        <translation>%1（词元：%2）</translation>
    </message>
    <message>
        <source>No compaction forgets these words. Tokens: %1, which are %2 in an uncompressed cache; they count within the budget.</source>
        <translation>任何压缩都不会遗忘这些词。词元：%1，在未压缩的缓存中占 %2；它们计入预算。</translation>
    </message>
    <message>
        <source>No compaction forgets these words. Tokens: %1; they count within the budget.</source>
        <translation>任何压缩都不会遗忘这些词。词元：%1；它们计入预算。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PreparePage</name>
    <message>
        <source>stale, not used: %1</source>
        <translation>已过时，未使用：%1</translation>
    </message>
    <message>
        <source>there, of this model</source>
        <translation>已有，属于此模型</translation>
    </message>
    <message>
        <source>not there</source>
        <translation>没有</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>A smaller model of the same vocabulary that guesses ahead; the text stays the same.</source>
        <translation>词表相同的较小模型，用于预先猜测；文本保持不变。</translation>
    </message>
    <message>
        <source>&amp;Draft model</source>
        <translation>草稿模型(&amp;D)</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Calibrate: %1</source>
        <translation>校准：%1</translation>
    </message>
    <message>
        <source>Calibrations</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Number format of the new file</source>
        <translation>新文件的数值格式</translation>
    </message>
    <message>
        <source>Write...</source>
        <translation>写入...</translation>
    </message>
    <message>
        <source>Write the model in this format</source>
        <translation>以此格式写入模型</translation>
    </message>
    <message>
        <source>&amp;Write as GGUF</source>
        <translation>写为 GGUF(&amp;W)</translation>
    </message>
    <message>
        <source>Write the model</source>
        <translation>写入模型</translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation>模型 (*.gguf)</translation>
    </message>
    <message>
        <source>Save...</source>
        <translation>保存...</translation>
    </message>
    <message>
        <source>Save the cache of the conversation to a file</source>
        <translation>将对话的缓存保存到文件</translation>
    </message>
    <message>
        <source>Load...</source>
        <translation>加载...</translation>
    </message>
    <message>
        <source>Load a cache into the conversation</source>
        <translation>将缓存加载到对话</translation>
    </message>
    <message>
        <source>Conversation&apos;s cache</source>
        <translation>对话的缓存</translation>
    </message>
    <message>
        <source>Save the cache</source>
        <translation>保存缓存</translation>
    </message>
    <message>
        <source>Caches (*.kvcache)</source>
        <translation>缓存 (*.kvcache)</translation>
    </message>
    <message>
        <source>Load a cache</source>
        <translation>加载缓存</translation>
    </message>
    <message>
        <source>Caches (*.kvcache);;All files (*)</source>
        <translation>缓存 (*.kvcache);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Cache formats...</source>
        <translation>缓存格式...</translation>
    </message>
    <message>
        <source>Presets and bits of the cache, measured on the model in use</source>
        <translation>缓存的预设和位数，在当前模型上测得</translation>
    </message>
    <message>
        <source>Quality...</source>
        <translation>质量...</translation>
    </message>
    <message>
        <source>The quality table of the model in use</source>
        <translation>当前模型的质量表</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>The work on a model file</source>
        <translation>模型文件的处理</translation>
    </message>
    <message>
        <source>Progress of the work on a model file</source>
        <translation>模型文件处理进度</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the work; nothing of it is kept</source>
        <translation>停止处理；不保留任何结果</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Choose a model on the first tab.</source>
        <translation>请在第一个标签页选择模型。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>A smaller model of the same vocabulary that guesses ahead: answers come faster where it guesses right, and stay the same.</source>
        <translation>词表相同的较小模型，用于预先猜测：猜对时回答更快，内容不变。</translation>
    </message>
    <message>
        <source>It counts from the next loading of the model on; the setting draft_tokens says how far it guesses.</source>
        <translation>从下次加载模型起生效；设置 draft_tokens 决定猜测多远。</translation>
    </message>
    <message>
        <source>Other work on a model file runs. Wait for its end or stop it.</source>
        <translation>正在处理另一个模型文件。请等待结束或将其停止。</translation>
    </message>
    <message>
        <source>Its weights are %1 already; fewer bits are made of a file with F32, F16 or BF16 weights.</source>
        <translation>其权重已是 %1；更少的位须由 F32、F16 或 BF16 权重的文件生成。</translation>
    </message>
    <message>
        <source>Writes a new file; this one stays as it is.</source>
        <translation>写入新文件；此文件保持不变。</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it first.</source>
        <translation>正在生成回答。请先停止它。</translation>
    </message>
    <message>
        <source>%1 tokens that need not be read again, for this model and these cache settings. Whoever has the file can read the conversation in it.</source>
        <translation>%1 个词元无需重读，适用于此模型和这些缓存设置。拥有该文件的人可以读到其中的对话。</translation>
    </message>
    <message>
        <source>Nothing is cached in this conversation yet.</source>
        <translation>此对话还没有缓存内容。</translation>
    </message>
    <message>
        <source>Stopping...</source>
        <translation>正在停止...</translation>
    </message>
    <message>
        <source>Calibrating and writing take minutes, at low priority beside the conversation; each reads the model into memory of its own.</source>
        <translation>校准和写入需几分钟，以低优先级与对话同时进行；每项都会将模型读入各自的内存。</translation>
    </message>
    <message>
        <source>The cache of the conversation</source>
        <translation>对话的缓存</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProfilePanel</name>
    <message>
        <source>Save...</source>
        <translation>保存...</translation>
    </message>
    <message>
        <source>Save these settings as a profile of your own</source>
        <translation>将这些设置保存为您自己的方案</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Rename or delete this profile</source>
        <translation>重命名或删除此方案</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Profile of the cache&apos;s settings</source>
        <translation>缓存设置的方案</translation>
    </message>
    <message>
        <source>Rename...</source>
        <translation>重命名...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Own settings</source>
        <translation>自定义设置</translation>
    </message>
    <message>
        <source>Only a profile of your own can be changed.</source>
        <translation>只能更改您自己的方案。</translation>
    </message>
    <message>
        <source>In force from the next token of this answer on.</source>
        <translation>从此回答的下一个词元起生效。</translation>
    </message>
    <message>
        <source>In force; this conversation is compacted when its next answer needs it, or at once by Compact now.</source>
        <translation>已生效；此对话将在下一个回答需要时压缩，或用“立即压缩”马上压缩。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Save profile</source>
        <translation>保存方案</translation>
    </message>
    <message>
        <source>My profile</source>
        <translation>我的方案</translation>
    </message>
    <message>
        <source>Rename profile</source>
        <translation>重命名方案</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PromptBox</name>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文本</translation>
    </message>
    <message>
        <source>%1  %2, %3 characters</source>
        <translation>%1  %2，%3 个字符</translation>
    </message>
    <message>
        <source>Write something first.</source>
        <translation>请先写点什么。</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>发送（Enter）</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答（Esc）</translation>
    </message>
    <message>
        <source>Attach texts or source code; files can be dropped here, too (Ctrl+Shift+A)</source>
        <translation>附加文本或源代码；也可将文件拖到此处（Ctrl+Shift+A）</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>Remove the attached text %1</source>
        <translation>移除附加的文本 %1</translation>
    </message>
    <message>
        <source>%1  %2, %3 tokens</source>
        <translation>%1  %2，%3 个词元</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AttachmentController</name>
    <message>
        <source>%1 is the report of a session.</source>
        <translation>%1 是一次会话的报告。</translation>
    </message>
    <message>
        <source>Open the session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Attach as text</source>
        <translation>作为文本附加</translation>
    </message>
    <message>
        <source>Too long: about %1 tokens, and the context has room for %2.</source>
        <translation>太长：约 %1 个词元，而上下文只容得下 %2 个。</translation>
    </message>
    <message>
        <source>Shorten or remove “%1”.</source>
        <translation>请缩短或移除“%1”。</translation>
    </message>
    <message>
        <source>Shorten the question, or start a new conversation.</source>
        <translation>请缩短问题，或开始新对话。</translation>
    </message>
    <message>
        <source>Shorten the question, or raise the context.</source>
        <translation>请缩短问题，或增大上下文。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PromptEdit</name>
    <message>
        <source>Ask something. Enter sends, Shift+Enter starts a new line.</source>
        <translation>请提问。Enter 发送，Shift+Enter 换行。</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line.</source>
        <translation>Enter 发送，Shift+Enter 换行。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MeasureFooter</name>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Forget what was measured and measure everything again.</source>
        <translation>忘记已测结果，全部重新测量。</translation>
    </message>
    <message>
        <source>Stop the measurement</source>
        <translation>停止测量</translation>
    </message>
    <message>
        <source>What was measured is kept.</source>
        <translation>已测结果会保留。</translation>
    </message>
    <message>
        <source>%1 of %2 measured; it can be gone on with.</source>
        <translation>已测量 %1 / %2；可以继续。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>%1 of %2 settings on texts measured</source>
        <translation>已在文本上测量 %1 / %2 组设置</translation>
    </message>
    <message>
        <source>Making the questions, %1</source>
        <translation>正在生成问题，%1</translation>
    </message>
    <message>
        <source>, about %1 left</source>
        <translation>，约剩 %1</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Everything is measured. Start over measures it again.</source>
        <translation>已全部测量。“重新开始”会再次测量。</translation>
    </message>
    <message>
        <source>%1 (Ctrl+Enter). A question that is asked meanwhile comes first.</source>
        <translation>%1 (Ctrl+Enter)。期间提出的问题优先处理。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::QualityWindow</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>%1 texts left as they were</source>
        <translation>%1 个文本保持原样</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回</translation>
    </message>
    <message>
        <source>RULER</source>
        <translation>RULER</translation>
    </message>
    <message>
        <source>KL mean</source>
        <translation>KL 均值</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>Bytes left</source>
        <translation>剩余字节</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>占用字节</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Attention matching (am) with each way to divide slots among heads, and eviction by each policy. Other settings as the program starts. Questions marks a profile made with questions of the tested kinds: a bench option.</source>
        <translation>注意力匹配（am） 与各种按头分配槽位的方式，以及各策略的驱逐。其他设置同程序启动时。“问题”表示用受测类型的问题制作的剖面：仅用于基准。</translation>
    </message>
    <message>
        <source>How many times smaller the cache was asked to get.</source>
        <translation>要求缓存缩小的倍数。</translation>
    </message>
    <message>
        <source>Of the dialogues that the whole cache answers, those answered right by the compacted one. Compacted when the text is read, before the question.</source>
        <translation>完整缓存能答对的对话中，压缩后的缓存答对的数量。读完文本后、提问前压缩。</translation>
    </message>
    <message>
        <source>Mean score over RULER&apos;s thirteen tasks, as a share of the whole cache&apos;s. The question is withheld until the text is compacted.</source>
        <translation>RULER 十三项任务的平均得分，相对完整缓存的占比。文本压缩后才给出问题。</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from the whole cache&apos;s, in nats, mean over running text that follows the compaction.</source>
        <translation>下一词元分布相对完整缓存的散度，单位奈特，压缩后连续文本的均值。</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>同上，取位置的第 99 百分位。</translation>
    </message>
    <message>
        <source>Of the same running text, with the compacted cache.</source>
        <translation>同一连续文本，使用压缩后的缓存。</translation>
    </message>
    <message>
        <source>Bytes really held after the compaction, with positions and marks, of those of an uncompressed cache.</source>
        <translation>压缩后实际持有的字节（含位置和标记）占未压缩缓存的比例。</translation>
    </message>
    <message>
        <source>The same in bytes, mean of a text.</source>
        <translation>同上，以字节计，每文本均值。</translation>
    </message>
    <message>
        <source>Mean time of a compaction, with the passes for its queries, on this machine.</source>
        <translation>本机上一次压缩的平均时间，含为其查询的遍历。</translation>
    </message>
    <message>
        <source>Why there are no figures, or how many texts are not in them.</source>
        <translation>为何没有数据，或有多少文本未计入。</translation>
    </message>
    <message>
        <source>%1 texts, %2 RULER questions, %3 positions of text</source>
        <translation>%1 个文本，%2 个 RULER 问题，%3 个文本位置</translation>
    </message>
    <message>
        <source>Quality of this model</source>
        <translation>此模型的质量</translation>
    </message>
    <message>
        <source>Small: minutes</source>
        <translation>小：数分钟</translation>
    </message>
    <message>
        <source>Whole: hours</source>
        <translation>完整：数小时</translation>
    </message>
    <message>
        <source>Small: six dialogues, RULER at 1,024 tokens once, two windows of text. Whole: 45 dialogues, RULER at 4,096 tokens four times, ten windows. Each at 2, 4, 8, 16 and 32 times.</source>
        <translation>小：六个对话，RULER 1,024 词元一次，两个文本窗口。完整：45 个对话，RULER 4,096 词元四次，十个窗口。均为 2、4、8、16 和 32 倍。</translation>
    </message>
    <message>
        <source>How much is measured</source>
        <translation>测量的规模</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Put the table on the clipboard, as Markdown.</source>
        <translation>将表格以 Markdown 复制到剪贴板。</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Write the table to a file, as CSV or Markdown.</source>
        <translation>将表格写入 CSV 或 Markdown 文件。</translation>
    </message>
    <message>
        <source>The table is on the clipboard.</source>
        <translation>表格已复制到剪贴板。</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>With the whole cache: %1 dialogues answered, RULER asked %2 questions, perplexity %3, %4 a text.</source>
        <translation>使用完整缓存：答对 %1 个对话，RULER 提问 %2 个，困惑度 %3，每文本 %4。</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
    </message>
    <message>
        <source>Not measured on this model.</source>
        <translation>未在此模型上测量。</translation>
    </message>
    <message>
        <source>Quality of this model, methods by ratios</source>
        <translation>此模型的质量，各方法各压缩比</translation>
    </message>
    <message>
        <source>Measure tries every method at each ratio and says what is lost: recall, RULER, KL, perplexity, bytes.</source>
        <translation>“测量”会在每个压缩比下尝试每种方法，并说明损失：召回、RULER、KL、困惑度、字节。</translation>
    </message>
    <message>
        <source>It goes on in pauses of the conversation, and can be stopped and gone on with.</source>
        <translation>测量在对话间隙进行，可以停止，也可以继续。</translation>
    </message>
    <message>
        <source>%1 of %2 texts so far</source>
        <translation>目前 %2 个文本中的 %1 个</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CacheFormatPanel</name>
    <message>
        <source>The cache goes from %1 to %2 between steps; %3 of its rows are coded.</source>
        <translation>缓存正在各步之间从 %1 变为 %2；已编码 %3 的行。</translation>
    </message>
    <message>
        <source>Cancel the change</source>
        <translation>取消更改</translation>
    </message>
    <message>
        <source>Rows coded again</source>
        <translation>已重新编码的行</translation>
    </message>
    <message>
        <source>What the cache is was not asked for by settings, so there is nothing to go back to.</source>
        <translation>缓存现在的格式并非由设置要求，因此没有可以恢复的设置。</translation>
    </message>
    <message>
        <source>Back to %1. The cache is what it was until all of its rows are coded, so nothing is lost.</source>
        <translation>恢复为 %1。在所有行编码完成之前缓存保持原样，因此不会丢失任何内容。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RecordedView</name>
    <message>
        <source>A recorded session is shown. Close it to go on with the live one.</source>
        <translation>正在显示录制的会话。关闭它以继续当前会话。</translation>
    </message>
    <message>
        <source>Nothing was asked before this moment.</source>
        <translation>在此刻之前没有提问。</translation>
    </message>
    <message>
        <source>The report says nothing of the cache at this moment.</source>
        <translation>报告没有此刻缓存的信息。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RemoteFigures</name>
    <message>
        <source>An engine</source>
        <translation>一个引擎</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>, context of %1 tokens</source>
        <translation>，上下文 %1 个词元</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Model of this engine</source>
        <translation>此引擎的模型</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>So far</source>
        <translation>累计</translation>
    </message>
    <message>
        <source>As it stands, or what it came to each second or in the mean since the look before, one second ago.</source>
        <translation>当前值，或自一秒前上次查看以来的每秒增量或均值。</translation>
    </message>
    <message>
        <source>Since the engine began; of times their mean.</source>
        <translation>自引擎启动以来；时间类为均值。</translation>
    </message>
    <message>
        <source>Figures of this engine</source>
        <translation>此引擎的指标</translation>
    </message>
    <message>
        <source>What it reports of what is known here; a dash where it reports nothing.</source>
        <translation>它所报告的此处已知的指标；未报告处为短横线。</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>未报告</translation>
    </message>
    <message>
        <source>Slot %1: %2</source>
        <translation>槽位 %1：%2</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RemoteWindow</name>
    <message>
        <source>Engines elsewhere</source>
        <translation>其他位置的引擎</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Engines that were named before</source>
        <translation>之前添加的引擎</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Name another engine</source>
        <translation>添加另一个引擎</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Forget this engine and its key</source>
        <translation>忘记此引擎及其密钥</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>As you call it</source>
        <translation>您对它的称呼</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>http://127.0.0.1:8080</source>
        <translation>http://127.0.0.1:8080</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Ask it for its models and its metrics</source>
        <translation>查询其模型和指标</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Keep it in the list</source>
        <translation>保留在列表中</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Let it answer in place of the local engine</source>
        <translation>让它代替本地引擎回答</translation>
    </message>
    <message>
        <source>Removed, with its key.</source>
        <translation>已移除，包括密钥。</translation>
    </message>
    <message>
        <source>Asking ...</source>
        <translation>正在询问 ...</translation>
    </message>
    <message>
        <source>Disconnected. The local engine answers again.</source>
        <translation>已断开。本地引擎恢复回答。</translation>
    </message>
    <message>
        <source>Connecting ...</source>
        <translation>正在连接 ...</translation>
    </message>
    <message>
        <source>%1 (answers)</source>
        <translation>%1（回答中）</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Let the local engine answer again</source>
        <translation>恢复由本地引擎回答</translation>
    </message>
    <message>
        <source>Kept; type to replace it</source>
        <translation>已保存；输入以替换</translation>
    </message>
    <message>
        <source>Problem: %1</source>
        <translation>问题：%1</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Another engine can answer the conversations of this window: vLLM, SGLang, llama-server, another Lacuna, or any that speaks OpenAI&apos;s API. Nothing is sent to it before you test it or connect.</source>
        <translation>此窗口的对话可以由其他引擎回答：vLLM、SGLang、llama-server、另一个 Lacuna，或任何支持 OpenAI API 的引擎。在您测试或连接之前，不会向它发送任何内容。</translation>
    </message>
    <message>
        <source>Engines that you save stand here.</source>
        <translation>保存的引擎会列在这里。</translation>
    </message>
    <message>
        <source>none</source>
        <comment>key</comment>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ReportExporter</name>
    <message>
        <source>The window when the report was written</source>
        <translation>写入报告时的窗口</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RetentionPresenter</name>
    <message>
        <source>%1 does not report what its cache holds.</source>
        <translation>%1 不报告其缓存保留了什么。</translation>
    </message>
    <message>
        <source>What the cache holds of each token appears here after the answer.</source>
        <translation>回答之后，这里显示缓存对每个词元保留了什么。</translation>
    </message>
    <message>
        <source>This conversation has no cache now: its next question reads the text again.</source>
        <translation>此对话现在没有缓存：下一个问题会重新读取文本。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RetentionStrip</name>
    <message>
        <source>Retention</source>
        <translation>保留情况</translation>
    </message>
    <message>
        <source>%1 tokens: %2 kept everywhere, %3 merged, %4 in part, %5 evicted.</source>
        <translation>%1 个词元：%2 个全部保留，%3 个合并，%4 个部分保留，%5 个被驱逐。</translation>
    </message>
    <message>
        <source>What the cache still holds of each token appears here after the first prompt.</source>
        <translation>缓存对每个词元的保留情况，在首个提示词后显示于此。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RotationPanel</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Progress of the calibration</source>
        <translation>校准进度</translation>
    </message>
    <message>
        <source>Stop the calibration</source>
        <translation>停止校准</translation>
    </message>
    <message>
        <source>Nothing of it is kept.</source>
        <translation>不保留任何结果。</translation>
    </message>
    <message>
        <source>Rotations count from the loading of a model on. Conversations are read again with their next question.</source>
        <translation>旋转从加载模型起生效。对话在下个问题时重新读取。</translation>
    </message>
    <message>
        <source>Reads a text of 30,000 tokens while nothing is answered, and finds for each head what its codes are best turned by. A question that is asked meanwhile comes first.</source>
        <translation>无回答任务时读取 30,000 个词元的文本，为每个头找出其编码的最佳旋转。期间提出的问题优先处理。</translation>
    </message>
    <message>
        <source>Calibrate rotations</source>
        <translation>校准旋转</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ServerWindow</name>
    <message>
        <source>Asked at</source>
        <translation>提问时间</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Tokens of the prompt</source>
        <translation>提示词的词元数</translation>
    </message>
    <message>
        <source>Tokens of the prompt that a cache held already</source>
        <translation>提示词中缓存已有的词元数</translation>
    </message>
    <message>
        <source>Tokens of the answer so far</source>
        <translation>回答目前的词元数</translation>
    </message>
    <message>
        <source>From the question to the end of the answer, or to now</source>
        <translation>从提问到回答结束，或到现在</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>reads, %1 of %2</source>
        <translation>读取中，%1 / %2</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>done (%1)</source>
        <translation>完成（%1）</translation>
    </message>
    <message>
        <source>broken off</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>The server is off</source>
        <translation>服务器已关闭</translation>
    </message>
    <message>
        <source>The server is starting</source>
        <translation>服务器正在启动</translation>
    </message>
    <message>
        <source>The server is on at %1</source>
        <translation>服务器已开启：%1</translation>
    </message>
    <message>
        <source>The server finishes what it is answering</source>
        <translation>服务器正在完成当前回答</translation>
    </message>
    <message>
        <source>No socket is open. Switched on, it answers programs with the model of this window, side by side with the conversation. It is off again with the next start of Lacuna.</source>
        <translation>没有打开套接字。开启后，它用此窗口的模型回答其他程序，与对话并行。下次启动 Lacuna 时会恢复关闭。</translation>
    </message>
    <message>
        <source>It takes no new connections and switches off after the last answer. Switch it off again to break off what is left.</source>
        <translation>不再接受新连接，最后一个回答后关闭。再次关闭会中断剩余的回答。</translation>
    </message>
    <message>
        <source>No model is loaded: requests are answered 503 until one is.</source>
        <translation>未加载模型：加载之前请求一律返回 503。</translation>
    </message>
    <message>
        <source>Programs ask for “%1”. Settings of the cache are those of this window.</source>
        <translation>程序请求“%1”。缓存设置与此窗口相同。</translation>
    </message>
    <message>
        <source>Answers stand here while the server is on; figures alone, no word of them.</source>
        <translation>服务器开启期间，回答列在这里；仅有数据，不含内容。</translation>
    </message>
    <message>
        <source>Answered now: %1, waiting: %2, connections: %3, requests so far: %4</source>
        <translation>正在回答：%1，等待：%2，连接：%3，请求总数：%4</translation>
    </message>
    <message>
        <source>; %1 tokens/s together</source>
        <translation>；合计 %1 词元/秒</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Answers and clients</source>
        <translation>回答与客户端</translation>
    </message>
    <message>
        <source>What the server does</source>
        <translation>服务器状态</translation>
    </message>
    <message>
        <source>This machine alone</source>
        <translation>仅本机</translation>
    </message>
    <message>
        <source>This machine alone, IPv6</source>
        <translation>仅本机，IPv6</translation>
    </message>
    <message>
        <source>Other machines too; needs a key</source>
        <translation>也允许其他机器；需要密钥</translation>
    </message>
    <message>
        <source>127.0.0.1 answers this machine alone. 0.0.0.0 answers other machines too: that needs a key, and what is said travels unencrypted.</source>
        <translation>127.0.0.1 仅回答本机。0.0.0.0 也回答其他机器：需要密钥，且内容以未加密方式传输。</translation>
    </message>
    <message>
        <source>any free one</source>
        <translation>任意空闲端口</translation>
    </message>
    <message>
        <source>name of the model&apos;s file</source>
        <translation>模型文件名</translation>
    </message>
    <message>
        <source>Answers that are written at once, each with a cache of its own; further questions wait. The conversation of this window comes besides.</source>
        <translation>同时生成的回答数，各有自己的缓存；更多问题需等待。此窗口的对话另计。</translation>
    </message>
    <message>
        <source>&amp;Port</source>
        <translation>端口(&amp;P)</translation>
    </message>
    <message>
        <source>A&amp;nswers at once</source>
        <translation>同时回答(&amp;N)</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>0 takes a free one.</source>
        <translation>0 表示使用空闲端口。</translation>
    </message>
    <message>
        <source>Name of the model for clients</source>
        <translation>客户端使用的模型名称</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>同时回答</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>地址(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>密钥(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Model name</source>
        <translation>模型名称(&amp;M)</translation>
    </message>
    <message>
        <source>none: every program on this machine may ask</source>
        <translation>无：本机任何程序都可请求</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Clients send it with each request. Empty: nobody needs one.</source>
        <translation>客户端随每个请求发送。留空：无需密钥。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show the key</source>
        <translation>显示密钥</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>复制密钥</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Generate a key</source>
        <translation>生成密钥</translation>
    </message>
    <message>
        <source>A new key of 32 random letters and digits, in place of this one. It is kept in a file that nobody else may read.</source>
        <translation>用 32 个随机字母和数字组成新密钥取代当前密钥。保存在他人无法读取的文件中。</translation>
    </message>
    <message>
        <source>Answers of the server, newest first</source>
        <translation>服务器的回答，最新在前</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>With the key in it</source>
        <translation>包含密钥</translation>
    </message>
    <message>
        <source>Else the text takes the key from the variable LACUNA_API_KEY of the environment.</source>
        <translation>否则文本从环境变量 LACUNA_API_KEY 读取密钥。</translation>
    </message>
    <message>
        <source>Copy the text for this client</source>
        <translation>复制此客户端的文本</translation>
    </message>
    <message>
        <source>How this client asks the server</source>
        <translation>此客户端如何请求服务器</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Open the socket and answer requests.</source>
        <translation>打开套接字并回答请求。</translation>
    </message>
    <message>
        <source>Take nothing new, and close the socket after the last answer.</source>
        <translation>不再接受新请求，最后一个回答后关闭套接字。</translation>
    </message>
    <message>
        <source>Close the sockets; what is being answered is broken off.</source>
        <translation>关闭套接字；正在进行的回答会中断。</translation>
    </message>
    <message>
        <source>Switch the server on</source>
        <translation>开启服务器</translation>
    </message>
    <message>
        <source>Switch the server off</source>
        <translation>关闭服务器</translation>
    </message>
    <message>
        <source>Switch the server off to change this.</source>
        <translation>关闭服务器后才能更改。</translation>
    </message>
    <message>
        <source>How programs name the model when they ask; further names after commas.</source>
        <translation>程序请求时使用的模型名称；其他名称用逗号分隔。</translation>
    </message>
    <message>
        <source>&amp;Embeddings</source>
        <translation>嵌入向量(&amp;E)</translation>
    </message>
    <message>
        <source>mean of all tokens</source>
        <translation>所有词元的均值</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>首个词元</translation>
    </message>
    <message>
        <source>last token</source>
        <translation>最后词元</translation>
    </message>
    <message>
        <source>one for each token</source>
        <translation>每个词元一个</translation>
    </message>
    <message>
        <source>Vectors of texts (/v1/embeddings), and of which tokens one is made.</source>
        <translation>文本向量（/v1/embeddings），以及由哪些词元得出。</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>嵌入向量</translation>
    </message>
    <message>
        <source>none: nothing is saved</source>
        <translation>无：不保存</translation>
    </message>
    <message>
        <source>Folder in which clients may save the cache of a slot and restore it (/slots/0?action=save).</source>
        <translation>客户端可在其中保存并恢复槽位缓存的文件夹（/slots/0?action=save）。</translation>
    </message>
    <message>
        <source>Folder for saved caches</source>
        <translation>已保存缓存的文件夹</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>选择...</translation>
    </message>
    <message>
        <source>Choose the folder for saved caches</source>
        <translation>选择已保存缓存的文件夹</translation>
    </message>
    <message>
        <source>Saved &amp;caches</source>
        <translation>已保存的缓存(&amp;C)</translation>
    </message>
    <message>
        <source>Nothing was asked of the server in this run. The tab Clients has what a program needs to ask it.</source>
        <translation>本次运行中服务器尚未收到请求。“客户端”标签页列出程序提问所需的内容。</translation>
    </message>
    <message>
        <source>none</source>
        <comment>embeddings</comment>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SessionList</name>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Start a conversation (Ctrl+N)</source>
        <translation>开始对话（Ctrl+N）</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Neither a title nor a message has “%1”.</source>
        <translation>标题和消息中都没有“%1”。</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ShortcutSheet</name>
    <message>
        <source>Slider: one step</source>
        <translation>滑块：一步</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>左、右</translation>
    </message>
    <message>
        <source>Slider: coarse step</source>
        <translation>滑块：大步</translation>
    </message>
    <message>
        <source>Page Up, Page Down</source>
        <translation>Page Up、Page Down</translation>
    </message>
    <message>
        <source>Slider: ends</source>
        <translation>滑块：两端</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Home、End</translation>
    </message>
    <message>
        <source>Slider: exact value</source>
        <translation>滑块：精确值</translation>
    </message>
    <message>
        <source>type digits</source>
        <translation>输入数字</translation>
    </message>
    <message>
        <source>Prompt: send</source>
        <translation>提示词：发送</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Prompt: new line</source>
        <translation>提示词：换行</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Shift+Enter</translation>
    </message>
    <message>
        <source>Search: to the conversations found</source>
        <translation>搜索：转到找到的对话</translation>
    </message>
    <message>
        <source>Down, Enter</source>
        <translation>下、Enter</translation>
    </message>
    <message>
        <source>Compare, sweep: begin</source>
        <translation>比较、扫描：开始</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Chart: zoom, pan, all</source>
        <translation>图表：缩放、平移、全部</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Controls</source>
        <translation>控件</translation>
    </message>
    <message>
        <source>No action and no key has these words.</source>
        <translation>没有操作或按键包含这些词。</translation>
    </message>
    <message>
        <source>Search actions and keys</source>
        <translation>搜索操作和按键</translation>
    </message>
    <message>
        <source>Words of an action, its menu or its keys; Down goes to what is left.</source>
        <translation>操作、其菜单或其按键中的词；向下键转到剩下的条目。</translation>
    </message>
    <message>
        <source>Ctrl+wheel, drag, double-click</source>
        <translation>Ctrl+滚轮、拖动、双击</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::StatusLine</name>
    <message>
        <source>KV %1 / %2</source>
        <translation>KV %1 / %2</translation>
    </message>
    <message>
        <source>KV %1 in use</source>
        <translation>KV 使用中 %1</translation>
    </message>
    <message>
        <source>KV not reported</source>
        <translation>KV 未报告</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>正在加载</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>reading prompt</source>
        <translation>正在读取提示词</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>What is written here is not on disk; the timeline says why</source>
        <translation>此处写入的内容未保存到磁盘；原因见时间线</translation>
    </message>
    <message>
        <source>Engine state</source>
        <translation>引擎状态</translation>
    </message>
    <message>
        <source>What the engine does now</source>
        <translation>引擎当前的工作</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Resident memory of the whole program</source>
        <translation>整个程序的常驻内存</translation>
    </message>
    <message>
        <source>Cache bytes</source>
        <translation>缓存字节</translation>
    </message>
    <message>
        <source>Keys and values: live (valid slots) / allocated (buffers)</source>
        <translation>键和值：占用（有效槽位）/ 已分配（缓冲区）</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Starts of texts that are kept for other conversations (prefix_cache); rows that conversations hold as well take no second copy</source>
        <translation>为其他对话保留的文本开头（prefix_cache）；对话也持有的行不占第二份</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>Compute threads</source>
        <translation>计算线程</translation>
    </message>
    <message>
        <source>Dropped samples</source>
        <translation>丢弃的样本</translation>
    </message>
    <message>
        <source>Telemetry samples left out because the window stood still</source>
        <translation>因窗口停顿而丢弃的遥测样本</translation>
    </message>
    <message>
        <source>Settings generation</source>
        <translation>设置版本</translation>
    </message>
    <message>
        <source>Generation of the settings in force</source>
        <translation>当前设置的版本</translation>
    </message>
    <message>
        <source>Conversations not kept</source>
        <translation>未保存的对话</translation>
    </message>
    <message>
        <source>1 conversation not on disk</source>
        <translation>1 个对话未保存到磁盘</translation>
    </message>
    <message>
        <source>%1 conversations not on disk</source>
        <translation>%1 个对话未保存到磁盘</translation>
    </message>
    <message>
        <source>Engine %1</source>
        <translation>引擎%1</translation>
    </message>
    <message>
        <source>RSS %1</source>
        <translation>RSS %1</translation>
    </message>
    <message>
        <source>RSS -</source>
        <translation>RSS -</translation>
    </message>
    <message>
        <source>Remote engine %1</source>
        <translation>远程引擎%1</translation>
    </message>
    <message>
        <source>Kept %1</source>
        <translation>保留 %1</translation>
    </message>
    <message>
        <source>1 thread, %1</source>
        <translation>1 个线程，%1</translation>
    </message>
    <message>
        <source>%1 threads, %2</source>
        <translation>%1 个线程，%2</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>丢弃 %1</translation>
    </message>
    <message>
        <source>Generation %1</source>
        <translation>设置版本 %1</translation>
    </message>
    <message>
        <source>Cache format</source>
        <translation>缓存格式</translation>
    </message>
    <message>
        <source>Rows of the cache are coded again between steps; until all are, it is what it was. The page of cache formats can cancel it</source>
        <translation>缓存的行在各步之间重新编码；全部完成之前缓存保持原样。可在缓存格式页面取消</translation>
    </message>
    <message>
        <source>%1 to %2, %3</source>
        <translation>%1 变为 %2，%3</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SweepWindow</name>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>最优</translation>
    </message>
    <message>
        <source>Bytes left</source>
        <translation>剩余字节</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Same top-1</source>
        <translation>首选相同</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>Output error</source>
        <translation>输出误差</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>nothing evicted</source>
        <translation>没有驱逐</translation>
    </message>
    <message>
        <source>Sweep settings over this conversation</source>
        <translation>在此对话上扫描设置</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>参数扫描</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>slots a head, as 512, 1024</source>
        <translation>每头槽位，如 512, 1024</translation>
    </message>
    <message>
        <source>Ratios</source>
        <translation>压缩比</translation>
    </message>
    <message>
        <source>Parts of the cache to keep, as 2, 4, 8</source>
        <translation>缓存缩小的倍数，如 2, 4, 8</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Every method at every size, on a copy of the cache of each answer of this conversation. Other settings as in force.</source>
        <translation>在此对话每个回答的缓存副本上，测试每种方法的每种大小。其他设置同当前。</translation>
    </message>
    <message>
        <source>What stands on the vertical axis</source>
        <translation>纵轴显示的内容</translation>
    </message>
    <message>
        <source>Apply these settings</source>
        <translation>应用这些设置</translation>
    </message>
    <message>
        <source>Every setting</source>
        <translation>每组设置</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Choose a point or a row first.</source>
        <translation>请先选择一个点或一行。</translation>
    </message>
    <message>
        <source>%1 %2 was sent to the engine.</source>
        <translation>已将 %1 %2 发送给引擎。</translation>
    </message>
    <message>
        <source>Settings without figures: %1. Nothing was evicted under them: the answers are too short for what they ask, so sweep a longer conversation.</source>
        <translation>没有数据的设置：%1。它们没有驱逐任何内容：回答太短，达不到所要求的程度，请扫描更长的对话。</translation>
    </message>
    <message>
        <source>KL, nats</source>
        <translation>KL（奈特）</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>待测</translation>
    </message>
    <message>
        <source>Stopped: %1 of %2 settings were tried.</source>
        <translation>已停止：已尝试 %1 组，共 %2 组设置。</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>耗时</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SystemPromptDialog</name>
    <message>
        <source>Keep as...</source>
        <translation>另存为...</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Kept system prompts</source>
        <translation>已保存的系统提示词</translation>
    </message>
    <message>
        <source>Nothing is told before the conversation.</source>
        <translation>对话之前不告知任何内容。</translation>
    </message>
    <message>
        <source>System prompt of this conversation</source>
        <translation>此对话的系统提示词</translation>
    </message>
    <message>
        <source>Keep this text under a name, for other conversations</source>
        <translation>以某个名称保存此文本，供其他对话使用</translation>
    </message>
    <message>
        <source>Forget the kept text that is chosen</source>
        <translation>忘记所选的已保存文本</translation>
    </message>
    <message>
        <source>What the model is told before this conversation. Other conversations keep theirs.</source>
        <translation>此对话之前告知模型的内容。其他对话保持各自的内容。</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>None kept yet</source>
        <translation>尚未保存</translation>
    </message>
    <message>
        <source>Kept prompts</source>
        <translation>已保存的提示词</translation>
    </message>
    <message>
        <source>Keep as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New conversations begin with this kept prompt</source>
        <translation>新对话以此保存的提示词开始</translation>
    </message>
    <message>
        <source>A conversation that has begun stays as it is.</source>
        <translation>已经开始的对话保持不变。</translation>
    </message>
    <message>
        <source>Choose a kept prompt first, or keep this one.</source>
        <translation>请先选择一个保存的提示词，或保存当前的。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageActions</name>
    <message>
        <source>Not pinned: %1</source>
        <translation>未固定：%1</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>Change the question or answer that is chosen, else the last question, in its place. What stood there stays as another branch.</source>
        <translation>就地修改所选的问题或回答，未选时为上一个问题。原来的内容保留为另一个分支。</translation>
    </message>
    <message>
        <source>Branch before</source>
        <translation>前一个分支</translation>
    </message>
    <message>
        <source>Show what stood here before it was edited or answered again.</source>
        <translation>显示编辑或重新回答之前的内容。</translation>
    </message>
    <message>
        <source>Next branch</source>
        <translation>后一个分支</translation>
    </message>
    <message>
        <source>Show the branch that was begun next.</source>
        <translation>显示随后开始的分支。</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>删除分支</translation>
    </message>
    <message>
        <source>Delete the branch that is shown, from where it parts; can be undone.</source>
        <translation>从分叉处起删除当前显示的分支；可以撤销。</translation>
    </message>
    <message>
        <source>Undo delete branch</source>
        <translation>撤销删除分支</translation>
    </message>
    <message>
        <source>Bring the branch that was deleted last back.</source>
        <translation>恢复最近删除的分支。</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Never let a compaction forget the marked words; they count within the budget.</source>
        <translation>不让任何压缩遗忘所选词语；它们计入预算。</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Let compactions forget the marked words again.</source>
        <translation>允许压缩再次遗忘所选词语。</translation>
    </message>
    <message>
        <source>Pinned words...</source>
        <translation>固定的词语...</translation>
    </message>
    <message>
        <source>What no compaction forgets, with its tokens; go there or unpin.</source>
        <translation>任何压缩都不会遗忘的内容及其词元数；可前往或取消固定。</translation>
    </message>
    <message>
        <source>This conversation has one branch only: edit a message, or answer one again, to begin another.</source>
        <translation>此对话只有一个分支：编辑消息或重新回答即可开始另一个分支。</translation>
    </message>
    <message>
        <source>This is the first branch.</source>
        <translation>这是第一个分支。</translation>
    </message>
    <message>
        <source>This is the last branch.</source>
        <translation>这是最后一个分支。</translation>
    </message>
    <message>
        <source>No branch was deleted.</source>
        <translation>没有删除过分支。</translation>
    </message>
    <message>
        <source>Mark words of a message first.</source>
        <translation>请先选中消息中的词语。</translation>
    </message>
    <message>
        <source>Nothing is pinned.</source>
        <translation>没有固定的内容。</translation>
    </message>
    <message numerus="yes">
        <source>Deleted branch %1 of %2, with %n message(s).</source>
        <translation>
            <numerusform>已删除分支 %1（共 %2 个），含 %n 条消息。</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message numerus="yes">
        <source>Pinned. Compactions had forgotten %n of these tokens before: what is left stays, and they can be brought back.</source>
        <translation>
            <numerusform>已固定。压缩此前已遗忘其中 %n 个词元：剩下的会保留，也可以取回。</numerusform>
        </translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>取回</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TelemetryPanel</name>
    <message>
        <source>30 s</source>
        <translation>30 秒</translation>
    </message>
    <message>
        <source>1k</source>
        <translation>1k</translation>
    </message>
    <message>
        <source>2 min</source>
        <translation>2 分钟</translation>
    </message>
    <message>
        <source>4k</source>
        <translation>4k</translation>
    </message>
    <message>
        <source>10 min</source>
        <translation>10 分钟</translation>
    </message>
    <message>
        <source>16k</source>
        <translation>16k</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Follow the newest steps, or hold the view while recording goes on (F8)</source>
        <translation>跟随最新步骤，或暂停画面而继续记录（F8）</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Length of the part that all charts show</source>
        <translation>所有图表显示范围的长度</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>坐标轴</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>What stands on the horizontal axis: time, or tokens processed</source>
        <translation>横轴显示：时间或已处理词元</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Save all samples as a table file</source>
        <translation>将所有样本保存为表格文件</translation>
    </message>
    <message>
        <source>PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>Save a picture of the charts</source>
        <translation>保存图表图片</translation>
    </message>
    <message>
        <source>Live view</source>
        <translation>实时视图</translation>
    </message>
    <message>
        <source>Paused view</source>
        <translation>暂停的视图</translation>
    </message>
    <message>
        <source>Window %1</source>
        <translation>窗口 %1</translation>
    </message>
    <message>
        <source>recording goes on</source>
        <translation>继续记录中</translation>
    </message>
    <message>
        <source>%1 samples left out</source>
        <translation>丢弃 %1 个样本</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>显示为表格</translation>
    </message>
    <message>
        <source>Save samples (CSV)...</source>
        <translation>保存样本（CSV）...</translation>
    </message>
    <message>
        <source>Save a picture (PNG)...</source>
        <translation>保存图片（PNG）...</translation>
    </message>
    <message>
        <source>No chart and no map is in sight.</source>
        <translation>当前看不到图表或图谱。</translation>
    </message>
    <message>
        <source>recorded session</source>
        <translation>录制的会话</translation>
    </message>
    <message>
        <source>Show the chart with the keyboard as a table, or else all in sight, and back (F4)</source>
        <translation>将拥有键盘焦点的图表显示为表格，否则显示所有可见图表，再按返回（F4）</translation>
    </message>
    <message>
        <source>Table of a chart, samples as a file, a picture, the horizontal axis</source>
        <translation>图表的表格、样本文件、图片、横轴</translation>
    </message>
    <message>
        <source>Axis: time</source>
        <translation>横轴：时间</translation>
    </message>
    <message>
        <source>Axis: tokens</source>
        <translation>横轴：词元</translation>
    </message>
    <message>
        <source>Whole session</source>
        <translation>整个会话</translation>
    </message>
    <message>
        <source>Back to live</source>
        <translation>回到实时</translation>
    </message>
    <message>
        <source>Show the whole session again (double-click)</source>
        <translation>重新显示整个会话（双击）</translation>
    </message>
    <message>
        <source>Follow the newest steps again (F8)</source>
        <translation>重新跟随最新步骤（F8）</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DiskTierPanel</name>
    <message>
        <source>In memory</source>
        <translation>内存中</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>磁盘上</translation>
    </message>
    <message>
        <source>Off: nothing is kept. Give it a limit to switch it on.</source>
        <translation>已关闭：不保留任何内容。设置上限即可开启。</translation>
    </message>
    <message>
        <source>%1 of %2, %3 texts</source>
        <translation>%1 / %2，%3 个文本</translation>
    </message>
    <message>
        <source>Nobody has asked it yet in this run.</source>
        <translation>本次运行中尚未被查询。</translation>
    </message>
    <message>
        <source>%1 of %2 questions found something: %3 tokens, about %4 saved</source>
        <translation>%2 个问题中有 %1 个命中：%3 个词元，约节省 %4</translation>
    </message>
    <message>
        <source>%1 %2: %3</source>
        <translation>%1%2：%3</translation>
    </message>
    <message>
        <source>Hit,</source>
        <translation>命中，</translation>
    </message>
    <message>
        <source>Miss,</source>
        <translation>未命中，</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Forget what is kept here, after %1 seconds in which it can be taken back. Conversations keep their own caches.</source>
        <translation>%1 秒后忘记此处保留的内容，期间可以撤销。对话保留各自的缓存。</translation>
    </message>
    <message>
        <source>Clear what is kept in memory</source>
        <translation>清除内存中保留的内容</translation>
    </message>
    <message>
        <source>Clear what is kept on disk</source>
        <translation>清除磁盘上保留的内容</translation>
    </message>
    <message>
        <source>How full it is</source>
        <translation>占用程度</translation>
    </message>
    <message>
        <source>small: calibrated transform, else 8 bits</source>
        <translation>小：校准的变换，否则 8 位</translation>
    </message>
    <message>
        <source>8 bits</source>
        <translation>8 位</translation>
    </message>
    <message>
        <source>exact, bit for bit</source>
        <translation>精确，逐位一致</translation>
    </message>
    <message>
        <source>How closely pages that are written from now on keep rows, by every program that shares the folder. An answer that goes on from rounded rows can differ from the one it would have been.</source>
        <translation>从现在起写入的页面以何种精度保存行，对共用此文件夹的所有程序有效。从舍入过的行继续的回答可能与原本会得到的不同。</translation>
    </message>
    <message>
        <source>How closely rows are kept on disk</source>
        <translation>磁盘上行的保存精度</translation>
    </message>
    <message>
        <source>Rows kept</source>
        <translation>行的保存</translation>
    </message>
    <message>
        <source>%1 of %2, %3 pages</source>
        <translation>%1 / %2，%3 页</translation>
    </message>
    <message>
        <source>None of %1 questions found something here.</source>
        <translation>%1 个问题都没有在这里找到内容。</translation>
    </message>
    <message>
        <source>Nothing is kept of this run yet.</source>
        <translation>本次运行尚未保留任何内容。</translation>
    </message>
    <message>
        <source>The one question so far found nothing here.</source>
        <translation>目前唯一的问题在这里没有找到内容。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimeBar</name>
    <message>
        <source>Recorded session</source>
        <translation>录制的会话</translation>
    </message>
    <message>
        <source>Moment of the session</source>
        <translation>会话时刻</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys for one step, Page Up and Page Down for the next question or compaction, Home and End. Space plays.</source>
        <translation>拖动，或用方向键走一步，Page Up 和 Page Down 到下一个问题或压缩，Home 和 End。空格键播放。</translation>
    </message>
    <message>
        <source>Conversation of the recorded session</source>
        <translation>录制会话中的对话</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>重放</translation>
    </message>
    <message>
        <source>Runs the whole session again with the same model and settings, and says whether the same words come out. The live session goes on beside it.</source>
        <translation>用同样的模型和设置再次运行整个会话，并说明是否出现同样的词。当前会话同时继续。</translation>
    </message>
    <message>
        <source>Close session</source>
        <translation>关闭会话</translation>
    </message>
    <message>
        <source>Back to the live session, which is as it was.</source>
        <translation>返回当前会话，它保持原样。</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>上一个标记</translation>
    </message>
    <message>
        <source>To the question or compaction before (Page Up)</source>
        <translation>到前一个问题或压缩（Page Up）</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Play the session from here (Space)</source>
        <translation>从此处播放会话（空格）</translation>
    </message>
    <message>
        <source>Next mark</source>
        <translation>下一个标记</translation>
    </message>
    <message>
        <source>To the next question or compaction (Page Down)</source>
        <translation>到下一个问题或压缩（Page Down）</translation>
    </message>
    <message>
        <source>How fast it plays; time without a step is passed over.</source>
        <translation>播放速度；没有步骤的时间会跳过。</translation>
    </message>
    <message>
        <source>Speed of playing</source>
        <translation>播放速度</translation>
    </message>
    <message>
        <source>Recorded session %1</source>
        <translation>录制的会话 %1</translation>
    </message>
    <message>
        <source>Recorded session %1, with %2</source>
        <translation>录制的会话 %1，使用 %2</translation>
    </message>
    <message>
        <source>The one asked last</source>
        <translation>最近提问的对话</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1 of %2, step %3 of %4</source>
        <translation>%1/%2，第 %3 步，共 %4 步</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Hold the session at this moment (Space)</source>
        <translation>在此刻暂停会话（空格）</translation>
    </message>
    <message>
        <source>Stop replay</source>
        <translation>停止重放</translation>
    </message>
    <message>
        <source>Replaying: the model is being read.</source>
        <translation>正在重放：读取模型。</translation>
    </message>
    <message>
        <source>Replaying: answer %1 of %2.</source>
        <translation>正在重放：第 %1 个回答，共 %2 个。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimelineModel</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>事件</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimelinePanel</name>
    <message>
        <source>Kind of events shown</source>
        <translation>显示的事件类型</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Words an event must contain</source>
        <translation>事件中必须包含的词</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Details of the chosen event</source>
        <translation>所选事件的详情</translation>
    </message>
    <message>
        <source>Choose an event to read its details.</source>
        <translation>选择事件以查看详情。</translation>
    </message>
    <message>
        <source>1 event</source>
        <translation>1 个事件</translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation>%1 个事件</translation>
    </message>
    <message>
        <source>%1 of %2 events</source>
        <translation>%1 / %2 个事件</translation>
    </message>
    <message>
        <source>, %1 older ones gone</source>
        <translation>，%1 个较旧的已移除</translation>
    </message>
    <message>
        <source>What happens in the session stands here: models, answers, settings, compactions.</source>
        <translation>会话中发生的事会列在这里：模型、回答、设置、压缩。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WelcomePage</name>
    <message>
        <source>What now?</source>
        <translation>接下来做什么？</translation>
    </message>
    <message>
        <source>Talk</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Write below and press Enter. Long texts may be pasted or dropped; then ask what stands in them.</source>
        <translation>在下方输入并按回车。可以粘贴或拖入长文本，然后询问其中的内容。</translation>
    </message>
    <message>
        <source>Load a model</source>
        <translation>加载模型</translation>
    </message>
    <message>
        <source>Any GGUF file, or a folder with safetensors. Your conversations stay. Or let an engine elsewhere answer.</source>
        <translation>任何 GGUF 文件，或含 safetensors 的文件夹。您的对话会保留。也可以让别处的引擎回答。</translation>
    </message>
    <message>
        <source>Load model...</source>
        <translation>加载模型...</translation>
    </message>
    <message>
        <source>Connect to an engine...</source>
        <translation>连接引擎...</translation>
    </message>
    <message>
        <source>Show the settings</source>
        <translation>显示设置</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>调节</translation>
    </message>
    <message>
        <source>Choose a profile, Balanced, Frugal or Exact, or move the ratio and see in the charts what it costs and saves.</source>
        <translation>选择均衡、节省或精确方案，或移动压缩比，在图表中查看其代价与节省。</translation>
    </message>
    <message>
        <source>Compare two settings...</source>
        <translation>比较两组设置...</translation>
    </message>
    <message>
        <source>The model in the box is small, 135 million parameters: it can talk a little in English, answer simple questions, write a short story or a small function, and find what you gave it in up to 8,000 tokens. It cannot speak other languages, and it knows few facts: take what it says of the world for a guess, and load a larger model for more.</source>
        <translation>自带的模型很小，1.35 亿参数：它能用英语简单交谈，回答简单问题，写短故事或小函数，并在最多 8,000 个词元中找到您给它的内容。它不会其他语言，知道的事实很少：请把它对世界的说法当作猜测，需要更多请加载更大的模型。</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>20 秒演示</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PreviewPanel</name>
    <message>
        <source>not comparable with the estimate</source>
        <translation>无法与估计比较</translation>
    </message>
    <message>
        <source>as estimated</source>
        <translation>与估计相符</translation>
    </message>
    <message>
        <source>%1 % above the estimate</source>
        <translation>高于估计 %1 %</translation>
    </message>
    <message>
        <source>%1 % below the estimate</source>
        <translation>低于估计 %1 %</translation>
    </message>
    <message>
        <source>Compacted in %1. Live bytes are %2</source>
        <translation>压缩用时 %1。占用字节%2</translation>
    </message>
    <message>
        <source>, the error is %1</source>
        <translation>，误差%1</translation>
    </message>
    <message>
        <source>No estimate: %1.</source>
        <translation>无法估计：%1。</translation>
    </message>
    <message>
        <source>Nothing would go: %1.</source>
        <translation>不会移除任何内容：%1。</translation>
    </message>
    <message>
        <source> Settings have moved since.</source>
        <translation> 此后设置已变动。</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Try before applying</source>
        <translation>应用前先试算</translation>
    </message>
    <message>
        <source>Moved settings wait here: they are estimated first and applied when you say so.</source>
        <translation>变动的设置在此等待：先估计，待您确认后才应用。</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>came</source>
        <translation>实际</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>占用字节</translation>
    </message>
    <message>
        <source>Output error</source>
        <translation>输出误差</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>Give the settings that wait up</source>
        <translation>放弃等待中的设置</translation>
    </message>
    <message>
        <source>Compact now</source>
        <translation>立即压缩</translation>
    </message>
    <message>
        <source>Compact with the settings in force (F9)</source>
        <translation>按当前设置压缩（F9）</translation>
    </message>
    <message>
        <source>Estimates what a compaction would leave of this conversation&apos;s cache.</source>
        <translation>估计压缩后此对话的缓存会剩下什么。</translation>
    </message>
    <message>
        <source>Estimating…</source>
        <translation>正在估计…</translation>
    </message>
    <message>
        <source>Made for: %1</source>
        <translation>适用于：%1</translation>
    </message>
    <message>
        <source>Nothing is cached in this conversation yet.</source>
        <translation>此对话还没有缓存内容。</translation>
    </message>
    <message>
        <source>Bring the settings that wait into force, and compact as was estimated</source>
        <translation>使等待的设置生效，并按估计进行压缩</translation>
    </message>
    <message>
        <source>Applied from the next token of this answer on; the cache is compacted then.</source>
        <translation>从此回答的下一个词元起应用；届时压缩缓存。</translation>
    </message>
    <message>
        <source>Applied; the cache is being compacted.</source>
        <translation>已应用；正在压缩缓存。</translation>
    </message>
    <message>
        <source>Applied; the cache is compacted when the next answer needs it, or at once by Compact now.</source>
        <translation>已应用；缓存将在下一个回答需要时压缩，或用“立即压缩”马上压缩。</translation>
    </message>
    <message>
        <source>Slots, all heads</source>
        <translation>槽位，所有头</translation>
    </message>
    <message>
        <source>%1 times the estimate</source>
        <translation>是估计值的 %1 倍</translation>
    </message>
    <message>
        <source>From the quality table of this model (Tools menu, Quality of this model), measured with all other settings as the program starts.</source>
        <translation>来自此模型的质量表（“工具”菜单，“此模型的质量”），其他设置均同程序启动时。</translation>
    </message>
    <message>
        <source>Tried on a copy of the cache, in %1.</source>
        <translation>已在缓存副本上试算，用时 %1。</translation>
    </message>
    <message>
        <source>Tried on %1 of %2 heads of a copy of the cache, in %3.</source>
        <translation>已在缓存副本的 %1 / %2 个头上试算，用时 %3。</translation>
    </message>
    <message>
        <source>Try a compaction with the settings asked for on a copy of this conversation&apos;s cache</source>
        <translation>按要求的设置，在此对话缓存的副本上试算一次压缩</translation>
    </message>
    <message>
        <source> What the text keeps of its information is being measured.</source>
        <translation>正在测量文本保留了多少信息。</translation>
    </message>
    <message>
        <source> The weakest passage keeps %1 of its information.</source>
        <translation>最弱的段落保留其信息的 %1。</translation>
    </message>
    <message>
        <source>Information kept</source>
        <translation>保留的信息</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowActions</name>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Start an empty conversation; the others stay.</source>
        <translation>开始一个空对话；其他对话保留。</translation>
    </message>
    <message>
        <source>Export report...</source>
        <translation>导出报告...</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Close Lacuna.</source>
        <translation>关闭 Lacuna。</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>复制最后的回答</translation>
    </message>
    <message>
        <source>Put the text of the last answer on the clipboard.</source>
        <translation>将最后一个回答的文本复制到剪贴板。</translation>
    </message>
    <message>
        <source>Rename conversation...</source>
        <translation>重命名对话...</translation>
    </message>
    <message>
        <source>Give this conversation another title.</source>
        <translation>为此对话更改标题。</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>删除对话</translation>
    </message>
    <message>
        <source>Delete this conversation and give its cache back; can be undone.</source>
        <translation>删除此对话并释放其缓存；可以撤销。</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Bring the conversation deleted last back.</source>
        <translation>恢复最近删除的对话。</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Find conversations by their titles and by every word in them.</source>
        <translation>按标题和其中的任意词查找对话。</translation>
    </message>
    <message>
        <source>Load model...</source>
        <translation>加载模型...</translation>
    </message>
    <message>
        <source>Load a model from a GGUF file; conversations stay.</source>
        <translation>从 GGUF 文件加载模型；对话保留。</translation>
    </message>
    <message>
        <source>Load model folder...</source>
        <translation>加载模型文件夹...</translation>
    </message>
    <message>
        <source>Load a folder with config.json, tokenizer.json and safetensors files.</source>
        <translation>加载含 config.json、tokenizer.json 和 safetensors 文件的文件夹。</translation>
    </message>
    <message>
        <source>Load the bundled model</source>
        <translation>加载自带模型</translation>
    </message>
    <message>
        <source>Load the small model that ships with Lacuna.</source>
        <translation>加载随 Lacuna 提供的小模型。</translation>
    </message>
    <message>
        <source>Model details</source>
        <translation>模型详情</translation>
    </message>
    <message>
        <source>Shape, tensors, cache bytes per token, tokenizer and memory plan.</source>
        <translation>结构、张量、每词元缓存字节、分词器和内存规划。</translation>
    </message>
    <message>
        <source>Inspect a model file...</source>
        <translation>查看模型文件...</translation>
    </message>
    <message>
        <source>The same for a file that is not loaded; nothing else changes.</source>
        <translation>对未加载的文件作同样查看；其他不变。</translation>
    </message>
    <message>
        <source>Connect to an engine...</source>
        <translation>连接引擎...</translation>
    </message>
    <message>
        <source>Let an engine elsewhere answer: vLLM, SGLang, llama-server, another Lacuna or any that speaks OpenAI&apos;s API.</source>
        <translation>让别处的引擎回答：vLLM、SGLang、llama-server、另一个 Lacuna 或任何支持 OpenAI API 的引擎。</translation>
    </message>
    <message>
        <source>Disconnect from the engine</source>
        <translation>断开引擎</translation>
    </message>
    <message>
        <source>Let the local engine answer again.</source>
        <translation>恢复由本地引擎回答。</translation>
    </message>
    <message>
        <source>Unload model</source>
        <translation>卸载模型</translation>
    </message>
    <message>
        <source>Give the model&apos;s memory back.</source>
        <translation>释放模型占用的内存。</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Send what stands in the prompt.</source>
        <translation>发送提示词框中的内容。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer that is being written, the loading of a model, or a compaction in the background.</source>
        <translation>停止正在生成的回答、模型加载或后台压缩。</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Answer the last question again.</source>
        <translation>重新回答最后一个问题。</translation>
    </message>
    <message>
        <source>Compact now</source>
        <translation>立即压缩</translation>
    </message>
    <message>
        <source>Compact the cache of this conversation at the next token, with the settings in force.</source>
        <translation>在下一个词元时按当前设置压缩此对话的缓存。</translation>
    </message>
    <message>
        <source>Rebuild the full cache</source>
        <translation>重建完整缓存</translation>
    </message>
    <message>
        <source>Give the compacted cache of this conversation up and switch compression off: the next question reads the whole text again.</source>
        <translation>放弃此对话压缩后的缓存并关闭压缩：下个问题会重新读取全文。</translation>
    </message>
    <message>
        <source>Reset settings</source>
        <translation>重置设置</translation>
    </message>
    <message>
        <source>Set every setting back to the value the program started with.</source>
        <translation>将所有设置恢复为程序启动时的值。</translation>
    </message>
    <message>
        <source>Undo setting</source>
        <translation>撤销设置</translation>
    </message>
    <message>
        <source>Take the newest change of a setting back, or a reset of all.</source>
        <translation>撤销最近一次设置更改或全部重置。</translation>
    </message>
    <message>
        <source>Compare two settings...</source>
        <translation>比较两组设置...</translation>
    </message>
    <message>
        <source>Answer one question under two settings, side by side.</source>
        <translation>在两组设置下并排回答同一问题。</translation>
    </message>
    <message>
        <source>Sweep settings...</source>
        <translation>扫描设置...</translation>
    </message>
    <message>
        <source>Try methods, ratios and budgets on this conversation and plot what each costs and loses.</source>
        <translation>在此对话上试验各方法、压缩比和预算，并绘出各自的代价与损失。</translation>
    </message>
    <message>
        <source>Quality of this model...</source>
        <translation>此模型的质量...</translation>
    </message>
    <message>
        <source>One table for the model in use: every method at every ratio, what it keeps of recall and RULER, and what it costs.</source>
        <translation>当前模型的一张表：各方法在各压缩比下保留多少召回和 RULER 成绩，以及代价。</translation>
    </message>
    <message>
        <source>Cache formats of this model...</source>
        <translation>此模型的缓存格式...</translation>
    </message>
    <message>
        <source>Presets and bits of keys and values with what each costs on the model in use: bytes, divergence, recall, speed.</source>
        <translation>键和值的预设与位数，以及在当前模型上的代价：字节、散度、召回、速度。</translation>
    </message>
    <message>
        <source>Memory...</source>
        <translation>记忆...</translation>
    </message>
    <message>
        <source>What is kept of texts that were read, in memory and on disk, what it saved, and what each conversation has of it.</source>
        <translation>已读文本在内存和磁盘上的保留内容、节省了多少，以及各对话所得。</translation>
    </message>
    <message>
        <source>Server...</source>
        <translation>服务器...</translation>
    </message>
    <message>
        <source>Answer other programs with the model in use: switch the server on and off, see what it answers, copy how clients ask it.</source>
        <translation>用当前模型回答其他程序：开关服务器、查看其回答、复制客户端请求方式。</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Find and run any action by name.</source>
        <translation>按名称查找并执行任何操作。</translation>
    </message>
    <message>
        <source>Go to prompt</source>
        <translation>转到提示词</translation>
    </message>
    <message>
        <source>Put the keyboard into the prompt.</source>
        <translation>将键盘焦点移到提示词框。</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>转到%1</translation>
    </message>
    <message>
        <source>Show the %1 panel and put the keyboard there.</source>
        <translation>显示“%1”面板并将键盘焦点移到那里。</translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation>下一个面板</translation>
    </message>
    <message>
        <source>Go round the panels.</source>
        <translation>在面板间循环。</translation>
    </message>
    <message>
        <source>Pause charts</source>
        <translation>暂停图表</translation>
    </message>
    <message>
        <source>Hold the charts still; recording goes on.</source>
        <translation>保持图表不动；记录继续。</translation>
    </message>
    <message>
        <source>Charts as tables</source>
        <translation>图表显示为表格</translation>
    </message>
    <message>
        <source>Retention overlay</source>
        <translation>保留情况叠加</translation>
    </message>
    <message>
        <source>Tint every word of the conversation by what the cache still holds of it: kept, merged, kept in part, evicted.</source>
        <translation>按缓存的保留情况为对话中每个词着色：保留、合并、部分保留、驱逐。</translation>
    </message>
    <message>
        <source>Light / dark</source>
        <translation>浅色 / 深色</translation>
    </message>
    <message>
        <source>Change between light and dark.</source>
        <translation>在浅色与深色之间切换。</translation>
    </message>
    <message>
        <source>Theme of the system</source>
        <translation>跟随系统主题</translation>
    </message>
    <message>
        <source>Follow the light or dark theme of the system.</source>
        <translation>跟随系统的浅色或深色主题。</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Speak this language from the next start of Lacuna on.</source>
        <translation>从下次启动 Lacuna 起使用此语言。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Language from the next start of Lacuna on: %1.</source>
        <translation>下次启动 Lacuna 起的语言：%1。</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Every action and its keys.</source>
        <translation>所有操作及其按键。</translation>
    </message>
    <message>
        <source>About Lacuna</source>
        <translation>关于 Lacuna</translation>
    </message>
    <message>
        <source>Version and licence.</source>
        <translation>版本和许可证。</translation>
    </message>
    <message>
        <source>No engine elsewhere is connected.</source>
        <translation>未连接其他位置的引擎。</translation>
    </message>
    <message>
        <source>There is no answer yet.</source>
        <translation>还没有回答。</translation>
    </message>
    <message>
        <source>Nothing is cached in this conversation yet.</source>
        <translation>此对话还没有缓存内容。</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it first.</source>
        <translation>正在生成回答。请先停止它。</translation>
    </message>
    <message>
        <source>No conversation was deleted.</source>
        <translation>没有删除过对话。</translation>
    </message>
    <message>
        <source>No setting of this conversation was changed.</source>
        <translation>此对话的设置没有更改过。</translation>
    </message>
    <message>
        <source>A report is being written.</source>
        <translation>正在写入报告。</translation>
    </message>
    <message>
        <source>%1 answers here.</source>
        <translation>此处由 %1 回答。</translation>
    </message>
    <message>
        <source>No answer is running.</source>
        <translation>没有正在生成的回答。</translation>
    </message>
    <message>
        <source>Deleted “%1”.</source>
        <translation>已删除“%1”。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>The cache was given up and compression is off. The next question reads the whole text again, about %1 tokens.</source>
        <translation>已放弃缓存并关闭压缩。下个问题会重新读取全文，约 %1 个词元。</translation>
    </message>
    <message>
        <source>Copy last code</source>
        <translation>复制最后的代码</translation>
    </message>
    <message>
        <source>Put the last block of code of the last answer on the clipboard.</source>
        <translation>将最后一个回答的最后一个代码块复制到剪贴板。</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Find words in this conversation and go from one place to the next.</source>
        <translation>在此对话中查找词语并逐处跳转。</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Go to the next place that has the words.</source>
        <translation>转到含有该词语的下一处。</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Go back to the place before.</source>
        <translation>返回上一处。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Write the last answer on from where it ended.</source>
        <translation>从最后一个回答结束处继续生成。</translation>
    </message>
    <message>
        <source>Attach files...</source>
        <translation>附加文件...</translation>
    </message>
    <message>
        <source>System prompt...</source>
        <translation>系统提示词...</translation>
    </message>
    <message>
        <source>What the model is told before this conversation.</source>
        <translation>此对话之前告知模型的内容。</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>取回</translation>
    </message>
    <message>
        <source>Bring the marked words back that compactions have forgotten, and keep them from then on. The retention overlay shows what was forgotten.</source>
        <translation>取回压缩遗忘的选中词语，并从此保留。“保留情况叠加”会显示被遗忘的内容。</translation>
    </message>
    <message>
        <source>There is nothing in this conversation yet.</source>
        <translation>此对话中还没有内容。</translation>
    </message>
    <message>
        <source>Show the retention overlay first, and mark words in it.</source>
        <translation>请先显示保留情况叠加，并在其中选中词语。</translation>
    </message>
    <message>
        <source>Mark words that the cache has forgotten.</source>
        <translation>请选中缓存已遗忘的词语。</translation>
    </message>
    <message>
        <source>The cache holds all of the marked words.</source>
        <translation>缓存保留了所有选中的词语。</translation>
    </message>
    <message>
        <source>The last answer has no block of code.</source>
        <translation>最后一个回答没有代码块。</translation>
    </message>
    <message>
        <source>Attach texts, source code or PDFs to the next question.</source>
        <translation>将文本、源代码或 PDF 附加到下一个问题。</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here is answered beside them.</source>
        <translation>
            <numerusform>%1 和另外 %n 个对话正在回答；此处的问题会同时回答。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here waits for one of them to end.</source>
        <translation>
            <numerusform>%1 和另外 %n 个对话正在回答；此处的问题会等其中一个结束。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is being answered; a question here is answered beside it.</source>
        <translation>%1 正在回答；此处的问题会同时回答。</translation>
    </message>
    <message>
        <source>%1 is being answered; a question here waits for its end.</source>
        <translation>%1 正在回答；此处的问题会等它结束。</translation>
    </message>
    <message>
        <source>Write JSON (replayable), PDF, HTML, Markdown, CSV and charts of this session to a folder, as far as wanted.</source>
        <translation>将此会话的 JSON (可重放)、PDF、HTML、Markdown、CSV 和图表按需写入文件夹。</translation>
    </message>
    <message>
        <source>Open report...</source>
        <translation>打开报告...</translation>
    </message>
    <message>
        <source>Open a recorded session in this window: go through it moment by moment, and run it again.</source>
        <translation>在此窗口中打开录制的会话：逐刻浏览，并再次运行。</translation>
    </message>
    <message>
        <source>Close recorded session</source>
        <translation>关闭录制的会话</translation>
    </message>
    <message>
        <source>Back to the live session, which is as it was.</source>
        <translation>返回当前会话，它保持原样。</translation>
    </message>
    <message>
        <source>Say what the charts show</source>
        <translation>说出图表内容</translation>
    </message>
    <message>
        <source>Says the chart or map with the keyboard in a sentence, or else all that are in sight; a screen reader reads it out.</source>
        <translation>用一句话说出当前焦点所在的图表或图谱，否则说出所有可见的；屏幕阅读器会读出。</translation>
    </message>
    <message>
        <source>Put every panel of this layout back to its place.</source>
        <translation>将此布局的每个面板放回原位。</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>The conversation and the list of conversations; everything else is one key away.</source>
        <translation>对话和对话列表；其他一切只需一键。</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>调节</translation>
    </message>
    <message>
        <source>Settings, charts, cache map and timeline around the conversation.</source>
        <translation>设置、图表、缓存图谱和时间线围绕着对话。</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Charts below the conversation, and two settings side by side.</source>
        <translation>对话下方是图表，两组设置并排。</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>What now?</source>
        <translation>接下来做什么？</translation>
    </message>
    <message>
        <source>Ways to go on: talk, load a model, tune; and what the model in the box can do.</source>
        <translation>接下来可以：对话、加载模型、调节；以及自带模型的能力。</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>20 秒演示</translation>
    </message>
    <message>
        <source>A page is read, a fact asked for, the cache made four times smaller, another fact asked for.</source>
        <translation>读一页文本，询问一个事实，把缓存缩小四倍，再询问另一个事实。</translation>
    </message>
    <message>
        <source>Whole demo, with a report</source>
        <translation>完整演示，含报告</translation>
    </message>
    <message>
        <source>A little talk, then facts asked of a long text: with the whole cache and with compacted ones; about two minutes.</source>
        <translation>先简单交谈，再就长文本询问事实：用完整缓存和压缩后的缓存；约两分钟。</translation>
    </message>
    <message>
        <source>Event log</source>
        <translation>事件日志</translation>
    </message>
    <message>
        <source>What happened on one page: events of this session, and the program&apos;s log of this run and earlier ones.</source>
        <translation>在一个页面上查看发生的事情：此会话的事件，以及程序本次和以往运行的日志。</translation>
    </message>
    <message>
        <source>Say hello, or paste a long text and ask what stands in it: the charts show what remembering costs.

Help &gt; Demo in 20 seconds does it for you; Help &gt; What now? says how to go on.</source>
        <translation>打个招呼，或粘贴一段长文本并询问其中的内容：图表会显示记忆的代价。

帮助 &gt; 20 秒演示会为您演示；帮助 &gt; 接下来做什么？会告诉您如何继续。</translation>
    </message>
    <message>
        <source>No recorded session is open.</source>
        <translation>没有打开录制的会话。</translation>
    </message>
    <message>
        <source>Models...</source>
        <translation>模型...</translation>
    </message>
    <message>
        <source>Models on this machine and whether they fit, downloads, drafts, calibrations, other number formats.</source>
        <translation>本机上的模型及能否放下、下载、草稿、校准、其他数值格式。</translation>
    </message>
    <message>
        <source>Save cache...</source>
        <translation>保存缓存...</translation>
    </message>
    <message>
        <source>Write the cache of this conversation to a file, so that its text need not be read again.</source>
        <translation>将此对话的缓存写入文件，使其文本无需重读。</translation>
    </message>
    <message>
        <source>Load cache...</source>
        <translation>加载缓存...</translation>
    </message>
    <message>
        <source>Take the cache of this conversation from a file; model and settings must be those that it was made with.</source>
        <translation>从文件取得此对话的缓存；模型和设置须与生成时一致。</translation>
    </message>
    <message>
        <source>Show the chart or map with the keyboard as a table, or else all in sight, and back.</source>
        <translation>将拥有键盘焦点的图表或缓存图显示为表格，否则显示所有可见的，再按返回。</translation>
    </message>
    <message>
        <source>Model &gt; Load the bundled model (Ctrl+Shift+O) takes the small one that ships with Lacuna; Models... lists and downloads others.</source>
        <translation>“模型”菜单的“加载自带模型”（Ctrl+Shift+O）使用 Lacuna 自带的小模型；“模型...”列出并下载其他模型。</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Take the last change of the text back.</source>
        <translation>撤销文本的上一次更改。</translation>
    </message>
    <message>
        <source>Make the change again that was taken back.</source>
        <translation>重做被撤销的更改。</translation>
    </message>
    <message>
        <source>Put the marked words on the clipboard and remove them.</source>
        <translation>将选中的文字剪切到剪贴板。</translation>
    </message>
    <message>
        <source>Put the marked words on the clipboard.</source>
        <translation>将选中的文字复制到剪贴板。</translation>
    </message>
    <message>
        <source>Insert what is on the clipboard.</source>
        <translation>插入剪贴板中的内容。</translation>
    </message>
    <message>
        <source>Mark the whole text.</source>
        <translation>选中全部文本。</translation>
    </message>
    <message>
        <source>Click into a text first.</source>
        <translation>请先点击一段文本。</translation>
    </message>
    <message>
        <source>This text cannot be changed.</source>
        <translation>此文本无法更改。</translation>
    </message>
    <message>
        <source>Measure the precision</source>
        <translation>测量精度</translation>
    </message>
    <message>
        <source>Measure again, between answers, which arithmetic this model needs.</source>
        <translation>在回答之间重新测量此模型需要哪种算术。</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>跳过测量</translation>
    </message>
    <message>
        <source>Leave the precision unmeasured: answers are computed with 8 bits in two terms, which every model bears.</source>
        <translation>不测量精度：回答以任何模型都能承受的双项 8 位计算。</translation>
    </message>
    <message>
        <source>Show or hide the %1 panel.</source>
        <translation>显示或隐藏“%1”面板。</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>The precision is being measured.</source>
        <translation>正在测量精度。</translation>
    </message>
    <message>
        <source>No precision is being measured.</source>
        <translation>没有在测量精度。</translation>
    </message>
    <message>
        <source>A question is sent once the model is loaded.</source>
        <translation>模型加载后发送问题。</translation>
    </message>
    <message>
        <source>Fit a surrogate</source>
        <translation>拟合代理</translation>
    </message>
    <message>
        <source>Fit again, between answers, what foretells which tokens of a text this model needs.</source>
        <translation>在回答之间重新拟合，用于预测此模型需要文本中的哪些词元。</translation>
    </message>
    <message>
        <source>Skip fitting</source>
        <translation>跳过拟合</translation>
    </message>
    <message>
        <source>Fit no surrogate: a text is repeated, between answers, where it is to be known which of its tokens are needed.</source>
        <translation>不拟合代理：需要知道文本中哪些词元被需要时，在回答之间复述文本。</translation>
    </message>
    <message>
        <source>A surrogate is being fitted.</source>
        <translation>正在拟合代理。</translation>
    </message>
    <message>
        <source>No surrogate is being fitted.</source>
        <translation>没有正在拟合代理。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowDialogs</name>
    <message>
        <source>New folder:</source>
        <translation>新文件夹：</translation>
    </message>
    <message>
        <source>Load a model</source>
        <translation>加载模型</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors);;All files (*)</source>
        <translation>模型 (*.gguf *.safetensors);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Load a model folder</source>
        <translation>加载模型文件夹</translation>
    </message>
    <message>
        <source>Inspect a model</source>
        <translation>查看模型</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors config.json);;All files (*)</source>
        <translation>模型 (*.gguf *.safetensors config.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save samples</source>
        <translation>保存样本</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Save charts</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>Quality of compaction</source>
        <translation>压缩质量</translation>
    </message>
    <message>
        <source>With these settings</source>
        <translation>按这些设置</translation>
    </message>
    <message>
        <source>Nothing is compacted.</source>
        <translation>不进行压缩。</translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation>报告文件夹</translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation>重命名对话</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Save the quality table</source>
        <translation>保存质量表</translation>
    </message>
    <message>
        <source>Table (*.csv);;Markdown (*.md)</source>
        <translation>表格 (*.csv);;Markdown (*.md)</translation>
    </message>
    <message>
        <source>Written to %1.</source>
        <translation>已写入 %1。</translation>
    </message>
    <message>
        <source>Close Lacuna</source>
        <translation>关闭 Lacuna</translation>
    </message>
    <message>
        <source>The server is still answering other programs (requests: %1).</source>
        <translation>服务器仍在回答其他程序（请求：%1）。</translation>
    </message>
    <message>
        <source>Finish, then close</source>
        <translation>完成后关闭</translation>
    </message>
    <message>
        <source>Close now</source>
        <translation>立即关闭</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>不关闭</translation>
    </message>
    <message>
        <source>About Lacuna</source>
        <translation>关于 Lacuna</translation>
    </message>
    <message>
        <source>Lacuna %1

Chats with a local model and shows what its memory costs.

Free software under the GNU General Public License, version 3 or later.
Uses Qt %2.</source>
        <translation>Lacuna %1

与本地模型对话，并显示其记忆的代价。

自由软件，采用 GNU 通用公共许可证第 3 版或更高版本。
使用 Qt %2。</translation>
    </message>
    <message>
        <source>The next question reads the whole text again, about %1 tokens, because its beginning changes.</source>
        <translation>下个问题会重新读取全文，约 %1 个词元，因为其开头改变了。</translation>
    </message>
    <message>
        <source>This conversation has no older half yet.</source>
        <translation>此对话还没有较旧的一半。</translation>
    </message>
    <message>
        <source>Folder for saved caches</source>
        <translation>已保存缓存的文件夹</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>Texts, code, PDF (*);;PDF (*.pdf)</source>
        <translation>文本、代码、PDF (*);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Open a report</source>
        <translation>打开报告</translation>
    </message>
    <message>
        <source>Reports (*.json);;All files (*)</source>
        <translation>报告 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Settings of the window now: %1. What is cached is compacted when the next answer needs it, or at once by Compact now (F9).</source>
        <translation>窗口当前的设置：%1。已缓存的内容将在下一个回答需要时压缩，或用“立即压缩”（F9） 马上压缩。</translation>
    </message>
    <message>
        <source>Save the cache</source>
        <translation>保存缓存</translation>
    </message>
    <message>
        <source>Caches (*.kvcache)</source>
        <translation>缓存 (*.kvcache)</translation>
    </message>
    <message>
        <source>Load a cache</source>
        <translation>加载缓存</translation>
    </message>
    <message>
        <source>Caches (*.kvcache);;All files (*)</source>
        <translation>缓存 (*.kvcache);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowNotices</name>
    <message>
        <source>Report written: %1 files in %2</source>
        <translation>报告已写入：%2 中 %1 个文件</translation>
    </message>
    <message>
        <source>Load another model</source>
        <translation>加载其他模型</translation>
    </message>
    <message>
        <source>Method is now %1: “%2” has no effect without one.</source>
        <translation>方法现为%1：没有方法时“%2”不起作用。</translation>
    </message>
    <message>
        <source>Method none</source>
        <translation>方法“无”</translation>
    </message>
    <message>
        <source>Not compacted: %1.</source>
        <translation>未压缩：%1。</translation>
    </message>
    <message>
        <source>Make room...</source>
        <translation>腾出空间...</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Bring back and answer again</source>
        <translation>找回并重新回答</translation>
    </message>
</context>
</TS>
