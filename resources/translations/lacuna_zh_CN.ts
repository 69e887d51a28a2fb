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
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Tokens per second appear while a prompt is read or an answer is written.</source>
        <translation>读取提示词或生成回答时显示每秒词元数。</translation>
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
        <source>Prompt reuse</source>
        <translation>提示词复用</translation>
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
        <source>No compaction in this window.</source>
        <translation>此窗口内没有压缩。</translation>
    </message>
    <message>
        <source>work up to %1</source>
        <translation>工作最长 %1</translation>
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
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>%1 kept, %2</source>
        <translation>保留 %1，%2</translation>
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
        <source>This conversation has no cache now.</source>
        <translation>此对话现在没有缓存。</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>已限制</translation>
    </message>
    <message>
        <source>work %1</source>
        <translation>工作 %1</translation>
    </message>
    <message>
        <source>No data in this window: the engine was idle.</source>
        <translation>此窗口内没有数据：引擎处于空闲。</translation>
    </message>
    <message>
        <source>First compaction above %1 slots per head, %2 to go.</source>
        <translation>每头超过 %1 个槽位时首次压缩，还差 %2。</translation>
    </message>
    <message>
        <source>different cache from here on</source>
        <translation>从此处起是不同的缓存</translation>
    </message>
    <message>
        <source>no data</source>
        <translation>无数据</translation>
    </message>
    <message>
        <source>Will be measured after the next answer.</source>
        <translation>将在下一个回答之后测量。</translation>
    </message>
    <message>
        <source>Nothing to measure: no token has been evicted yet.</source>
        <translation>无可测量：尚未驱逐任何词元。</translation>
    </message>
    <message>
        <source>In use: share of the cache that is occupied, as reported by the engine.</source>
        <translation>使用中：引擎报告的缓存占用比例。</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>requested %1</source>
        <translation>要求 %1</translation>
    </message>
    <message>
        <source>Achieved ratio, %1: %2 in bytes, %3 in tokens per slot, %4.</source>
        <translation>实际压缩比，%1：按字节 %2，按每槽位词元 %3，%4。</translation>
    </message>
    <message>
        <source>%1 requested</source>
        <translation>要求 %1</translation>
    </message>
    <message>
        <source>none requested</source>
        <translation>未要求</translation>
    </message>
    <message>
        <source>Decode: answer tokens per second, averaged over one second, compactions included. Trend: the same, smoothed over two seconds. Prefill: prompt tokens per second. Flags: time to the first token. Gaps are idle time. Logarithmic scale.</source>
        <translation>解码：回答每秒词元数，一秒均值，含压缩。趋势：同上，按两秒平滑。预填充：提示词每秒词元数。旗标：首词元时间。空白为空闲时间。对数刻度。</translation>
    </message>
    <message>
        <source>Throughput, %1: decode %2, prefill %3, %4.</source>
        <translation>吞吐量，%1：解码 %2，预填充 %3，%4。</translation>
    </message>
    <message>
        <source>Compares the compacted cache with the full cache at regular intervals. KL: how far the probabilities of the next token moved, in nats. Differs: share of the last 16 samples with a different top token. Error: relative error of the attention output of a few heads. Lower is better; 0 equals the full cache.</source>
        <translation>定期将压缩后的缓存与完整缓存比较。KL：下一词元概率的偏移，单位奈特。不同：最近 16 个样本中最可能词元不同的占比。误差：若干头注意力输出的相对误差。越小越好；0 即与完整缓存相同。</translation>
    </message>
    <message>
        <source>same top token %1</source>
        <translation>最可能词元相同 %1</translation>
    </message>
    <message>
        <source>takes %1 of the time</source>
        <translation>占用时间 %1</translation>
    </message>
    <message>
        <source>Quality, %1: KL %2 nats, same top token in %3 of the last samples; measuring takes %4 of the time.</source>
        <translation>质量，%1：KL %2 奈特，最近样本中 %3 的最可能词元相同；测量占用 %4 的时间。</translation>
    </message>
    <message>
        <source>Prompt reuse appears with the first answer.</source>
        <translation>提示词复用在首个回答后显示。</translation>
    </message>
    <message>
        <source>Share of each prompt that was not read again because it was in the conversation&apos;s cache or in the prefix cache. 100 % is everything but the last token.</source>
        <translation>每个提示词中因已在对话缓存或前缀缓存内而未重新读取的占比。100 % 表示除最后一个词元外全部。</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>The prefix cache is empty.</source>
        <translation>前缀缓存为空。</translation>
    </message>
    <message>
        <source>Size of the prefix cache, which spares conversations, branches and requests from reading a shared prefix again. Rows in memory that a conversation also holds are counted but not copied. The Memory page sets the limits.</source>
        <translation>前缀缓存的大小：对话、分支和请求借此无需重新读取相同的前缀。内存中对话也持有的行会计入，但不会复制。上限在“记忆”页设置。</translation>
    </message>
    <message>
        <source>Prefix cache, %1: %2 in memory, %3 on disk.</source>
        <translation>前缀缓存，%1：内存中 %2，磁盘上 %3。</translation>
    </message>
    <message>
        <source>How long each stage of the compactions in this window took, on a logarithmic scale. Score: how much each slot matters. Select: which slots stay. Fit: biases and values of those. Apply: writing the cache. Work: total. Pause: the part the conversation waited for. Solid line: median; dashed line: 95th percentile. All lanes share one count scale.</source>
        <translation>此窗口内各次压缩的每个阶段所用的时间，对数刻度。评分：每个槽位有多重要。选择：保留哪些槽位。拟合：其偏置和值。应用：写入缓存。工作：合计。停顿：对话为其等待的部分。实线：中位数；虚线：第 95 百分位。所有通道共用一个计数刻度。</translation>
    </message>
    <message>
        <source>pauses of %1 compactions</source>
        <translation>%1 次压缩的停顿</translation>
    </message>
    <message>
        <source>Live cache size</source>
        <translation>缓存大小</translation>
    </message>
    <message>
        <source>Compaction latency</source>
        <translation>压缩延迟</translation>
    </message>
    <message>
        <source>Compaction latency: %1 compactions, last %2, median %3, longest %4, %5 failed.</source>
        <translation>压缩延迟：%1 次压缩，最近 %2，中位数 %3，最长 %4，%5 次失败。</translation>
    </message>
    <message>
        <source>states %1, checkpoints %2</source>
        <translation>状态 %1，检查点 %2</translation>
    </message>
    <message>
        <source>states</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source> Recurrent layers: %1.</source>
        <translation> 循环层：%1。</translation>
    </message>
    <message>
        <source>Bytes: logical divided by live bytes. Tokens: context tokens per slot, mean over all heads; differs from bytes where rows are stored as codes. All memory: bytes with the states and checkpoints of recurrent layers on both sides. Requested: the ratio set when a compaction ran. 1x means nothing is saved.</source>
        <translation>字节：逻辑字节除以有效字节。词元：每个槽位对应的上下文词元，所有头的均值；行以编码存储时与字节不同。全部内存：两侧都计入循环层的状态和检查点。请求：压缩时设定的比率。1x 表示没有节省。</translation>
    </message>
    <message>
        <source>all memory</source>
        <translation>全部内存</translation>
    </message>
    <message>
        <source>all memory %1</source>
        <translation>全部内存 %1</translation>
    </message>
    <message>
        <source>Restored tokens</source>
        <translation>恢复的词元</translation>
    </message>
    <message>
        <source>Nothing has been restored yet. Select evicted words in the retention overlay and choose Restore words.</source>
        <translation>尚未恢复任何内容。请在保留情况叠加中选中被驱逐的词语，然后选择“恢复词语”。</translation>
    </message>
    <message>
        <source>Restored: evicted tokens that were restored so far. Kept: those of them that later compactions must keep. Bytes are those of their rows in a full cache.</source>
        <translation>恢复：至今已恢复的被驱逐词元。保留：其中以后的压缩必须保留的词元。字节数按完整缓存中的行计算。</translation>
    </message>
    <message>
        <source>restored</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restored tokens, %1: %2 so far, %3 of them kept, %4 of rows.</source>
        <translation>恢复的词元，%1：至今 %2，其中保留 %3，行占 %4。</translation>
    </message>
    <message>
        <source>How long the conversation waited for each compaction. Circle: over budget. Square: requested manually. Diamond: after a settings change. Triangle: cache limit of all conversations reached. Cross: failed, cache unchanged. Bar: total work, including the part in the background. Click to select the row in the timeline.</source>
        <translation>对话等待每次压缩的时间。圆：超出预算。方块：手动请求。菱形：设置更改之后。三角：达到所有对话的缓存上限。叉：失败，缓存未变。条：全部工作，包括后台部分。点击可在时间线中选中该行。</translation>
    </message>
    <message>
        <source>Compactions per bar: done, limited (smaller ratio than requested, to lose less), skipped and failed. The crosshair shows the reasons.</source>
        <translation>每条的压缩次数：完成、受限（比请求的比率小，以减少损失）、跳过和失败。十字线显示原因。</translation>
    </message>
    <message>
        <source>Outcomes so far: %1 compactions done, %2 limited, %3 skipped, %4 failed.</source>
        <translation>目前结果：%1 次压缩完成，%2 次受限，%3 次跳过，%4 次失败。</translation>
    </message>
    <message>
        <source>%1 limited</source>
        <translation>%1 次受限</translation>
    </message>
    <message>
        <source>The first compaction is due.</source>
        <translation>首次压缩已到时机。</translation>
    </message>
    <message>
        <source>drafts %1</source>
        <translation>草稿 %1</translation>
    </message>
    <message>
        <source>Logical: size of an uncompressed cache. Live: slots in use; a coded cache counts its codes, their scales and the 16-bit rows of the first and newest tokens. Allocated: buffers including slack. Budget: size after a compaction. Trigger: size above which a compaction runs. States: memory of recurrent layers, which does not grow with the text. Checkpoints: earlier states, from which an edit or another answer continues. Drafts: cache of the draft model or of the model&apos;s own draft block.</source>
        <translation>逻辑：未压缩缓存的大小。有效：使用中的槽位；编码缓存计入编码、缩放因子以及首尾词元的 16 位行。已分配：含余量的缓冲区。预算：压缩后的大小。触发：超过此大小即压缩。状态：循环层的内存，不随文本增长。检查点：较早的状态，编辑或另一回答从此处继续。草稿：草稿模型或模型自带草稿块的缓存。</translation>
    </message>
    <message>
        <source>drafts</source>
        <translation>草稿</translation>
    </message>
</context>
<context>
    <name>ChatMessages</name>
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
    <message>
        <source>The answer reached its maximum length. Raise &quot;Max tokens&quot; for longer answers.</source>
        <translation>回答已达到最大长度。提高“最大词元数”可得到更长的回答。</translation>
    </message>
    <message>
        <source>The answer ended because the context is full. Switch on context shift, raise the context, or start a new conversation.</source>
        <translation>上下文已满，回答结束。请开启上下文移位、增大上下文或开始新对话。</translation>
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
        <source>Newest only (StreamingLLM)</source>
        <translation>仅最新词元（StreamingLLM）</translation>
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
    <message>
        <source>Least similar keys (KeyDiff)</source>
        <translation>差异最大的键（KeyDiff）</translation>
    </message>
    <message>
        <source>Attended by the newest queries (SnapKV)</source>
        <translation>最新查询关注的词元（SnapKV）</translation>
    </message>
    <message>
        <source>Attended by all queries (H2O)</source>
        <translation>所有查询关注的词元（H2O）</translation>
    </message>
    <message>
        <source>Attended when the text is repeated (KVzip)</source>
        <translation>重复文本时关注的词元（KVzip）</translation>
    </message>
    <message>
        <source>Expected to be attended (Expected Attention)</source>
        <translation>预期会被关注的词元（Expected Attention）</translation>
    </message>
    <message>
        <source>Equal for all heads</source>
        <translation>各头相等</translation>
    </message>
    <message>
        <source>By score within a layer (Ada-KV)</source>
        <translation>层内按得分（Ada-KV）</translation>
    </message>
    <message>
        <source>By score across all layers (KVzip)</source>
        <translation>跨所有层按得分（KVzip）</translation>
    </message>
    <message>
        <source>By the spread of a head&apos;s attention</source>
        <translation>按头的注意力广度</translation>
    </message>
    <message>
        <source>Queries so far</source>
        <translation>迄今的查询</translation>
    </message>
    <message>
        <source>After each chunk</source>
        <translation>每个分块后</translation>
    </message>
    <message>
        <source>Same for all layers</source>
        <translation>所有层相同</translation>
    </message>
    <message>
        <source>Separate for each answer</source>
        <translation>每个回答单独一遍</translation>
    </message>
    <message>
        <source>Earlier text</source>
        <translation>较早文本</translation>
    </message>
    <message>
        <source>Multi-token prediction</source>
        <translation>多词元预测</translation>
    </message>
    <message>
        <source>By the decrease of a head&apos;s error</source>
        <translation>按头的误差减小量</translation>
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
        <source>KL, 99th percentile</source>
        <translation>KL，第 99 百分位</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>奈特</translation>
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
        <source>First difference at token %1 of the answer. A: %2. B: %3.</source>
        <translation>首个不同在回答的第 %1 个词元。A：%2。B：%3。</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>Answer tokens</source>
        <translation>回答词元</translation>
    </message>
    <message>
        <source>Logical / live bytes</source>
        <translation>逻辑 / 占用字节</translation>
    </message>
    <message>
        <source>Answer tokens per second</source>
        <translation>每秒回答词元</translation>
    </message>
    <message>
        <source>measuring excluded</source>
        <translation>不含测量</translation>
    </message>
    <message>
        <source>KL to the full cache, mean</source>
        <translation>与完整缓存的 KL，均值</translation>
    </message>
    <message>
        <source>Same top token</source>
        <translation>最可能词元相同</translation>
    </message>
    <message>
        <source>end of the answer</source>
        <translation>回答结束</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Both answers have the same %1 tokens.</source>
        <translation>两个回答有相同的 %1 个词元。</translation>
    </message>
    <message>
        <source> Neither cache was compacted: ask about a longer text or raise the ratio.</source>
        <translation> 两个缓存都没有压缩：请就更长的文本提问，或提高压缩比。</translation>
    </message>
</context>
<context>
    <name>ConnectionList</name>
    <message>
        <source>No key is stored.</source>
        <translation>未保存密钥。</translation>
    </message>
    <message>
        <source>The key is stored in the desktop keyring.</source>
        <translation>密钥保存在桌面钥匙环中。</translation>
    </message>
    <message>
        <source>No keyring is available: the key is stored in a file that only you can read.</source>
        <translation>没有可用的钥匙环：密钥保存在只有您能读取的文件中。</translation>
    </message>
    <message>
        <source>The key is discarded when the program ends.</source>
        <translation>程序结束时密钥即被丢弃。</translation>
    </message>
</context>
<context>
    <name>Conversations</name>
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
        <source>They cannot be read here, and nothing</source>
        <translation>对话无法在此读取，且任何内容</translation>
    </message>
    <message>
        <source>%1 cannot be renamed.</source>
        <translation>无法重命名 %1。</translation>
    </message>
    <message>
        <source>Recovered conversation</source>
        <translation>恢复的对话</translation>
    </message>
    <message>
        <source>The stored conversations were damaged and nothing could be recovered. The file was moved to %1 and a new one was created.</source>
        <translation>存储的对话已损坏，无法恢复任何内容。文件已移至 %1，并新建了一个文件。</translation>
    </message>
    <message>
        <source>The stored conversations were damaged. %1 conversations with %2 messages were recovered. </source>
        <translation>存储的对话已损坏。已恢复 %1 个对话，共 %2 条消息。 </translation>
    </message>
    <message>
        <source>“%1” was changed by another instance of Lacuna in the meantime.</source>
        <translation>“%1”已被另一个 Lacuna 实例更改。</translation>
    </message>
    <message>
        <source>%1 was written by a newer version of Lacuna. It is left unchanged, and conversations of this session are not saved.</source>
        <translation>%1 由更新版本的 Lacuna 写入。文件保持原样，本次会话的对话不会保存。</translation>
    </message>
    <message>
        <source>Conversations are not saved: %1</source>
        <translation>对话不会保存：%1</translation>
    </message>
    <message>
        <source>%1 cannot be created.</source>
        <translation>无法创建 %1。</translation>
    </message>
    <message>
        <source>%1 is damaged, and its readable part cannot be saved: %2</source>
        <translation>%1 已损坏，其可读部分无法保存：%2</translation>
    </message>
    <message>
        <source>They are shown here, but nothing</source>
        <translation>对话显示在这里，但任何内容</translation>
    </message>
    <message>
        <source>Another instance of Lacuna (%1) uses the conversations in %2. %3 is saved until it ends. `lacuna window --data-dir FOLDER` uses another folder.</source>
        <translation>另一个 Lacuna 实例 (%1) 正在使用 %2 中的对话。%3在其结束之前都不会保存。`lacuna window --data-dir 文件夹` 可使用另一个文件夹。</translation>
    </message>
    <message>
        <source>Conversations are not saved: %1 %2 is saved until this is fixed.</source>
        <translation>对话不会保存：%1 %2在修复之前都不会保存。</translation>
    </message>
    <message>
        <source>%1 cannot be moved.</source>
        <translation>无法移动 %1。</translation>
    </message>
    <message>
        <source>This message was damaged on disk and may differ from the original.</source>
        <translation>此消息在磁盘上已损坏，可能与原文不同。</translation>
    </message>
    <message>
        <source>Lacuna quit while this answer was being written.</source>
        <translation>生成此回答时 Lacuna 已退出。</translation>
    </message>
</context>
<context>
    <name>DownloadRequest</name>
    <message>
        <source>Two of its files are named %1.</source>
        <translation>其中有两个文件都叫 %1。</translation>
    </message>
    <message>
        <source>A SHA-256 digest has 64 digits, 0-9 and a-f.</source>
        <translation>SHA-256 摘要由 64 个 0-9 和 a-f 的字符组成。</translation>
    </message>
</context>
<context>
    <name>Engine</name>
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
        <source>the policy chooses by keys, not by attention</source>
        <translation>该策略按键选择，而非按注意力</translation>
    </message>
    <message>
        <source>%1 or more while method is l2</source>
        <translation>方法为“驱逐词元”时须为 %1 或以上</translation>
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
        <source>off, or 1 to %1</source>
        <translation>off，或 1 至 %1</translation>
    </message>
    <message>
        <source>auto, uniform, entropy, coverage, task_free, reconstruction</source>
        <translation>auto, uniform, entropy, coverage, task_free, reconstruction</translation>
    </message>
    <message>
        <source>auto, repetition</source>
        <translation>auto, repetition</translation>
    </message>
    <message>
        <source>auto or equal while coherence is %1</source>
        <translation>coherence 为 %1 时须为 auto 或 equal</translation>
    </message>
    <message>
        <source>auto, equal, adaptive</source>
        <translation>auto, equal, adaptive</translation>
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
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>AM ratio</source>
        <translation>AM 压缩比</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>槽位</translation>
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
        <source>Compact when</source>
        <translation>何时压缩</translation>
    </message>
    <message>
        <source>Pin rare tokens</source>
        <translation>固定罕见词元</translation>
    </message>
    <message>
        <source>Skip layers</source>
        <translation>跳过的层</translation>
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
        <source>same, %1</source>
        <translation>same, %1</translation>
    </message>
    <message>
        <source>auto, hadamard</source>
        <translation>auto, hadamard</translation>
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
        <source>Value type</source>
        <translation>值类型</translation>
    </message>
    <message>
        <source>Exact window</source>
        <translation>精确窗口</translation>
    </message>
    <message>
        <source>neither kv_type nor v_type is one of the rotated codes t8 to t1</source>
        <translation>kv_type 和 v_type 都不是旋转编码 t8 至 t1</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>旋转</translation>
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
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Layer caches</source>
        <translation>各层缓存</translation>
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
        <source>no limit</source>
        <translation>无上限</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Prefix cache on disk</source>
        <translation>磁盘前缀缓存</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Context shift</source>
        <translation>上下文移位</translation>
    </message>
    <message>
        <source>Prefill chunk</source>
        <translation>预填充分块</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>草稿词元</translation>
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
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
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
        <source>&apos;%1&apos; is not of the form key=value.</source>
        <translation>“%1”不是“键=值”的形式。</translation>
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
        <source>draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>keep one of the two</source>
        <translation>请保留其中之一</translation>
    </message>
    <message>
        <source>sliding layers of the model</source>
        <translation>模型的滑动层</translation>
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
        <source>idle: an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>空闲，AM 压缩比为 1 会保留每个词元，且未设预算</translation>
    </message>
    <message>
        <source>nothing to gain: %1 slots, the target is %2</source>
        <translation>没有收益：%1 个槽位，目标为 %2</translation>
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
        <source>auto is %1: best recall in %2 dialogues with %3, %4</source>
        <translation>auto 为 %1：在 %3 的 %2 个对话中召回最佳，%4</translation>
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
        <source>the conversation has no message to answer</source>
        <translation>对话中没有要回答的消息</translation>
    </message>
    <message>
        <source>the prompt has %1 bytes, which are %2 tokens or more, and the context has room for %3; shorten the conversation or raise the context</source>
        <translation>提示词有 %1 字节，即至少 %2 个词元，上下文只能容纳 %3 个；请缩短对话或增大上下文</translation>
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
        <source>the caches hold %1 and the next step needs %2 more, above the limit of %3</source>
        <translation>缓存占 %1，下一步还需 %2，超出上限 %3</translation>
    </message>
    <message>
        <source>%1 am</source>
        <translation>%1 am</translation>
    </message>
    <message>
        <source>Long chat</source>
        <translation>长对话</translation>
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
        <source>this conversation has no cache yet</source>
        <translation>此对话还没有缓存</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>there is not enough memory for it</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>the engine ran out of memory and has stopped.</source>
        <translation>引擎内存耗尽并已停止。</translation>
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
        <source>with room for compactions in the background</source>
        <translation>含后台压缩的空间</translation>
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
        <source>The weights fit.</source>
        <translation>权重放得下。</translation>
    </message>
    <message>
        <source>The trained context of %1 tokens fits with an F16 cache%2.</source>
        <translation>采用 F16 缓存可容纳 %1 个词元的训练上下文%2。</translation>
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
        <source>no model is loaded; load one before calibrating</source>
        <translation>未加载模型；请在校准前加载</translation>
    </message>
    <message>
        <source>the calibration was stopped</source>
        <translation>校准已停止</translation>
    </message>
    <message>
        <source>The context is %1 tokens instead of %2, because the cache must fit this machine&apos;s memory.</source>
        <translation>上下文为 %1 个词元而非 %2 个，因为缓存须放入此机器的内存。</translation>
    </message>
    <message>
        <source>no model is loaded; load one before sending a message</source>
        <translation>未加载模型；请在发送消息前加载</translation>
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
        <source>sync the folder</source>
        <translation>同步文件夹</translation>
    </message>
    <message>
        <source>set the mode of</source>
        <translation>设置权限</translation>
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
        <source>prefix_cache and prefix_disk are 0</source>
        <translation>prefix_cache 和 prefix_disk 都是 0</translation>
    </message>
    <message>
        <source>judged by the queries of the newest turn</source>
        <translation>按最新一轮的查询评判</translation>
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
        <source>%1 of its tasks need a longer text</source>
        <translation>其中 %1 项任务需要更长的文本</translation>
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
        <source>The newest tokens, which no compaction touches.</source>
        <translation>最新的词元，任何压缩都不会触及。</translation>
    </message>
    <message>
        <source>any length</source>
        <translation>任意长度</translation>
    </message>
    <message>
        <source>any other policy</source>
        <translation>任何其他策略</translation>
    </message>
    <message>
        <source>%1, or a number from %2 to %3</source>
        <translation>%1，或 %2 到 %3 的数字</translation>
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
        <source>the model&apos;s query centres are not calibrated, so those of this conversation were used</source>
        <translation>模型的查询中心未校准，因此采用了此对话的</translation>
    </message>
    <message>
        <source>the model was unloaded</source>
        <translation>模型已卸载</translation>
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
        <source>an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>AM 压缩比为 1 会保留每个词元，且未设预算</translation>
    </message>
    <message>
        <source>no head has more slots than the target</source>
        <translation>没有头的槽位多于目标</translation>
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
        <source>idle: %1 of %2 slots per head; compaction starts after 1 more token</source>
        <translation>等待：每个头 %1 / %2 个槽位；再过 1 个词元后开始压缩</translation>
    </message>
    <message>
        <source>no budget is set, so nothing is evicted</source>
        <translation>未设置预算，因此不会驱逐任何内容</translation>
    </message>
    <message>
        <source>this conversation has %1 tokens and is not compacted below %2</source>
        <translation>此对话有 %1 个词元，低于 %2 时不压缩</translation>
    </message>
    <message>
        <source>a compaction is already running in the background</source>
        <translation>后台已有一次压缩在进行</translation>
    </message>
    <message>
        <source>it follows after this answer, once its loss is measured</source>
        <translation>它在此回答之后、测得损失后进行</translation>
    </message>
    <message>
        <source>no ratio keeps loss_limit=%1: even at %2x only %3 % of the text&apos;s information would be kept, and %4 % of the weakest passage; the cache is unchanged</source>
        <translation>没有压缩比能满足 loss_limit=%1：即使在 %2x 时也只能保留文本信息的 %3 %，最弱段落的 %4 %；缓存未改变</translation>
    </message>
    <message>
        <source>only the loss of the current cache was measured</source>
        <translation>仅测量了当前缓存的损失</translation>
    </message>
    <message>
        <source>the number format alone loses more than loss_limit=%1 allows; use more bits for keys and values</source>
        <translation>仅数值格式的损失就超过 loss_limit=%1 所允许的；请为键和值使用更多位数</translation>
    </message>
    <message>
        <source>the cache is unchanged</source>
        <translation>缓存未改变</translation>
    </message>
    <message>
        <source>reading the text for its queries was cancelled; the cache is unchanged</source>
        <translation>为其查询读取文本已取消；缓存未改变</translation>
    </message>
    <message>
        <source>reading its text was cancelled</source>
        <translation>读取其文本已取消</translation>
    </message>
    <message>
        <source>measuring its loss was cancelled</source>
        <translation>测量其损失已取消</translation>
    </message>
    <message>
        <source>another compaction was requested</source>
        <translation>请求了另一次压缩</translation>
    </message>
    <message>
        <source>the conversation continued</source>
        <translation>对话继续了</translation>
    </message>
    <message>
        <source>the conversation was rolled back into the tokens being compacted</source>
        <translation>对话回退到了正在压缩的词元之中</translation>
    </message>
    <message>
        <source>the conversation is read again</source>
        <translation>对话将重新读取</translation>
    </message>
    <message>
        <source>the conversation was closed</source>
        <translation>对话已关闭</translation>
    </message>
    <message>
        <source>a question was sent; the loss is measured after its answer</source>
        <translation>发送了问题；损失将在其回答之后测量</translation>
    </message>
    <message>
        <source>a question was sent; the text is read again after its answer</source>
        <translation>发送了问题；文本将在其回答之后重新读取</translation>
    </message>
    <message>
        <source>the answer starts from a prefix entry</source>
        <translation>回答从前缀条目开始</translation>
    </message>
    <message>
        <source>%1x of the requested %2x: a higher ratio would lose more than loss_limit=%3 allows</source>
        <translation>要求 %2x，实际 %1x：更高的压缩比损失会超过 loss_limit=%3 所允许的</translation>
    </message>
    <message>
        <source>%1x of the requested %2x, because %3 tokens are protected</source>
        <translation>要求 %2x，实际 %1x，因为有 %3 个词元受保护</translation>
    </message>
    <message>
        <source>the question had to be compacted too</source>
        <translation>问题也必须压缩</translation>
    </message>
    <message>
        <source>the cache limit ignores loss_limit</source>
        <translation>缓存上限不受 loss_limit 约束</translation>
    </message>
    <message>
        <source>judged by queries from reading the text again, %1 tokens</source>
        <translation>按重读文本的查询评判，%1 个词元</translation>
    </message>
    <message>
        <source>judged by queries from repeating the text, %1 tokens</source>
        <translation>按复述文本的查询评判，%1 个词元</translation>
    </message>
    <message>
        <source>no queries from reading the text again: %1</source>
        <translation>没有重读文本的查询：%1</translation>
    </message>
    <message>
        <source>no queries from repeating the text: %1</source>
        <translation>没有复述文本的查询：%1</translation>
    </message>
    <message>
        <source>the newest turn has queries of %1 tokens, but at least %2 are needed: earlier ones were used too</source>
        <translation>最新一轮有 %1 个词元的查询，但至少需要 %2 个：也使用了更早的查询</translation>
    </message>
    <message>
        <source>queries of %1 tokens were captured, but at least %2 are needed: KeyDiff chose the keys, and values are unchanged</source>
        <translation>捕获了 %1 个词元的查询，但至少需要 %2 个：由 KeyDiff 选择键，值未改变</translation>
    </message>
    <message>
        <source>scored by repeating the text, %1 tokens in %2 pieces</source>
        <translation>通过复述文本评分，%1 个词元，共 %2 段</translation>
    </message>
    <message>
        <source>no scores from repeating the text: %1</source>
        <translation>没有复述文本的得分：%1</translation>
    </message>
    <message>
        <source>no scores from repeating the text: none were collected</source>
        <translation>没有复述文本的得分：未收集到</translation>
    </message>
    <message>
        <source>scores predicted by the surrogate</source>
        <translation>得分由代理预测</translation>
    </message>
    <message>
        <source>scores predicted by the surrogate, which read %1 tokens again</source>
        <translation>得分由代理预测，它重读了 %1 个词元</translation>
    </message>
    <message>
        <source>the surrogate has seen only %1 of %2 tokens, and the rest were not read again</source>
        <translation>代理只见过 %2 个词元中的 %1 个，其余未重读</translation>
    </message>
    <message>
        <source>the surrogate has seen only %1 of %2 tokens, and the rest were not read again: %3</source>
        <translation>代理只见过 %2 个词元中的 %1 个，其余未重读：%3</translation>
    </message>
    <message>
        <source>key norms of this model are nearly constant (spread %1 %), so KeyDiff was used instead</source>
        <translation>此模型的键范数几乎不变（离散度 %1 %），因此改用 KeyDiff</translation>
    </message>
    <message>
        <source>the rotation of this model&apos;s queries depends on the length of the text, so future queries cannot be predicted: KeyDiff was used instead</source>
        <translation>此模型查询的旋转取决于文本长度，因此无法预测未来的查询：改用 KeyDiff</translation>
    </message>
    <message>
        <source>queries of %1 tokens were seen, but at least %2 are needed: KeyDiff was used instead</source>
        <translation>见到 %1 个词元的查询，但至少需要 %2 个：改用 KeyDiff</translation>
    </message>
    <message>
        <source>KeyDiff was used instead</source>
        <translation>改用 KeyDiff</translation>
    </message>
    <message>
        <source>its scores are not comparable across layers, so all heads kept the same number of slots</source>
        <translation>其得分无法跨层比较，因此各头保留的槽位数相同</translation>
    </message>
    <message>
        <source>slots were divided by coverage</source>
        <translation>槽位按 coverage 分配</translation>
    </message>
    <message>
        <source>slots were divided by task_free</source>
        <translation>槽位按 task_free 分配</translation>
    </message>
    <message>
        <source>slots were divided by copy scores</source>
        <translation>槽位按复制得分分配</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so slots were divided by copy scores</source>
        <translation>模型的头尚未测量，因此槽位按复制得分分配</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so slots were divided by coverage</source>
        <translation>模型的头尚未测量，因此槽位按 coverage 分配</translation>
    </message>
    <message>
        <source>the text is not known here, so demote_structure had no effect</source>
        <translation>此处不知道文本，因此 demote_structure 不起作用</translation>
    </message>
    <message>
        <source>%1 slots with non-finite keys were evicted first</source>
        <translation>首先驱逐了 %1 个键非有限值的槽位</translation>
    </message>
    <message>
        <source>%1 heads hold different tokens since an earlier compaction, so they chose separately</source>
        <translation>%1 个头自先前的压缩以来持有不同的词元，因此各自选择</translation>
    </message>
    <message>
        <source>this kind of cache has no snapshots, so it was compacted in the foreground</source>
        <translation>此类缓存没有快照，因此在前台压缩</translation>
    </message>
    <message>
        <source>idle: the new settings apply at the next token</source>
        <translation>空闲，新设置从下一个词元起生效</translation>
    </message>
    <message>
        <source>off: no method is chosen</source>
        <translation>关闭：未选择方法</translation>
    </message>
    <message>
        <source>idle: no budget is set, so nothing is evicted</source>
        <translation>空闲，未设置预算，因此不会驱逐任何内容</translation>
    </message>
    <message>
        <source>idle: every layer is listed in skip_layers or has its own window</source>
        <translation>空闲，每一层都列在 skip_layers 中或有自己的窗口</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, no compaction expected at this ratio</source>
        <translation>等待：每头 %1 个槽位，按此压缩比预计不会压缩</translation>
    </message>
    <message>
        <source>idle: %1 of %2 tokens, the minimum for a compaction</source>
        <translation>等待：%1 / %2 个词元，后者为压缩的最低数量</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, checked again at the end of the next turn</source>
        <translation>等待：每头 %1 个槽位，下一轮结束时再次检查</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, the first turn is kept uncompressed until the next one has ended</source>
        <translation>等待：每头 %1 个槽位，第一轮保持未压缩，直到下一轮结束</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, compacts the %2 tokens before this turn when it ends</source>
        <translation>等待：每头 %1 个槽位，本轮结束时压缩其之前的 %2 个词元</translation>
    </message>
    <message>
        <source>scored by repeating the text, %1 tokens in one piece</source>
        <translation>通过复述文本评分，%1 个词元，共一段</translation>
    </message>
    <message>
        <source>method is none, there is no window and no rows are kept in 16 bits</source>
        <translation>方法为“无”，没有窗口，且没有行以 16 位保存</translation>
    </message>
    <message>
        <source>the AM ratio is 1, there is no budget and no rows are kept in 16 bits</source>
        <translation>AM 压缩比为 1，没有预算，且没有行以 16 位保存</translation>
    </message>
    <message>
        <source>reconstruction scores are not used</source>
        <translation>未使用重建得分</translation>
    </message>
    <message>
        <source>method is l2 and its policy does not read the text again</source>
        <translation>方法为“驱逐词元”，且其策略不会重读文本</translation>
    </message>
    <message>
        <source>eviction needs a budget of slots to keep</source>
        <translation>驱逐需要指定保留槽位的预算</translation>
    </message>
    <message>
        <source>every layer of %1 has its own window%2</source>
        <translation>%1 的每一层都有自己的窗口%2</translation>
    </message>
    <message>
        <source>the context has %1 tokens and would leave nothing to compact</source>
        <translation>上下文有 %1 个词元，不会剩下可压缩的内容</translation>
    </message>
    <message>
        <source>the margin must not exceed the budget</source>
        <translation>余量不得超过预算</translation>
    </message>
    <message>
        <source>%1 has no head profile measured with questions; run lacuna calibrate-kv --questions</source>
        <translation>%1 没有用问题测量的头档案；请运行 lacuna calibrate-kv --questions</translation>
    </message>
    <message>
        <source>%1 has no surrogate for reconstruction scores; run lacuna calibrate-kv --surrogate</source>
        <translation>%1 没有重建得分的代理；请运行 lacuna calibrate-kv --surrogate</translation>
    </message>
    <message>
        <source>heads that choose together keep the same tokens and so the same number of slots</source>
        <translation>一起选择的头保留相同的词元，因此槽位数也相同</translation>
    </message>
    <message>
        <source>the rotary angles of %1 depend on the length of the text, so future queries cannot be predicted</source>
        <translation>%1 的旋转角取决于文本长度，因此无法预测未来的查询</translation>
    </message>
    <message>
        <source>queries of %1 are normalised after the rotation, so future queries cannot be predicted</source>
        <translation>%1 的查询在旋转之后归一化，因此无法预测未来的查询</translation>
    </message>
    <message>
        <source>scores of %1 are not comparable across layers, unlike attention scores</source>
        <translation>与注意力得分不同，%1 的得分无法跨层比较</translation>
    </message>
    <message>
        <source>fewer layers that have no window of their own</source>
        <translation>更少的无自有窗口的层</translation>
    </message>
    <message>
        <source>%1 would not change any layer</source>
        <translation>%1 不会改变任何层</translation>
    </message>
    <message>
        <source>How the cache is made smaller: none, l2 (eviction: instant, but evicted tokens are lost) or am (attention matching: loses less at the same size, but takes work in the background). l2 without a budget keeps 1024 slots (arXiv 2406.11430, arXiv 2602.16284).</source>
        <translation>缓存缩小的方式：none、l2（驱逐：立即完成，但被驱逐的词元会丢失）或 am（注意力匹配：同样大小下损失更少，但需要后台计算）。l2 没有预算时保留 1024 个槽位（arXiv 2406.11430、arXiv 2602.16284）。</translation>
    </message>
    <message>
        <source>How many times smaller attention matching makes the cache, sinks and recent tokens included; more saves memory, less loses less. If protected tokens leave fewer than 16 other slots, the largest possible ratio is used and shown (arXiv 2602.16284).</source>
        <translation>注意力匹配将缓存缩小的倍数，包括汇聚词元和最近词元；越大越省内存，越小损失越少。若受保护的词元使其他槽位少于 16 个，则采用并显示可能的最大压缩比（arXiv 2602.16284）。</translation>
    </message>
    <message>
        <source>Slots each head keeps after a compaction: fewer save memory, more lose less. At least sinks + keep recent + 1, at most the context; between two compactions the cache may pass it by the margin.</source>
        <translation>压缩后每个头保留的槽位数：越少越省内存，越多损失越少。至少为汇聚 + 最近 + 1，至多为上下文长度；两次压缩之间缓存可超出不多于余量。</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches, because answers degrade without them (attention sinks, arXiv 2309.17453). A new cache of rotated codes keeps as many tokens in 16 bits.</source>
        <translation>最前面的词元，任何压缩都不会触及，因为没有它们回答会变差（注意力汇聚，arXiv 2309.17453）。新的旋转编码缓存以 16 位保留同样多的词元。</translation>
    </message>
    <message>
        <source>Compaction floor</source>
        <translation>压缩下限</translation>
    </message>
    <message>
        <source>Conversations with fewer tokens are not compacted, because there is little to gain and answers suffer; 0 compacts any conversation. The cache limit ignores this setting.</source>
        <translation>词元更少的对话不会被压缩，因为收益很小且回答会受损；0 表示压缩任何对话。缓存上限不受此设置影响。</translation>
    </message>
    <message>
        <source>Loss limit</source>
        <translation>损失上限</translation>
    </message>
    <message>
        <source>The most that a compaction may lose: balanced and strict aim to keep 98 % and 99.5 % of the answers, a number is the share of the text&apos;s information to keep (0 to 1), off sets no limit. The loss is measured before compacting, once the answer has ended, and a ratio that loses more is lowered; the cache limit ignores this setting.</source>
        <translation>压缩允许的最大损失：balanced 和 strict 旨在保留 98 % 和 99.5 % 的回答，数字表示文本信息的保留比例（0 到 1），off 表示不设上限。损失在回答结束后、压缩之前测量，损失过大的压缩比会被降低；缓存上限不受此设置影响。</translation>
    </message>
    <message>
        <source>Slots above the target before a compaction starts; off means an eighth of the target, between 16 and 256. A larger margin compacts less often and uses more memory.</source>
        <translation>开始压缩前可超出目标的槽位数；off 为目标的八分之一，介于 16 与 256 之间。余量越大，压缩越少，占用内存越多。</translation>
    </message>
    <message>
        <source>Norm policy</source>
        <translation>范数策略</translation>
    </message>
    <message>
        <source>Which keys an l2 eviction keeps: low norms, high norms, keys least like the others (keydiff), keys that queries attend to (observation_window, accumulated_attention, reconstruct, expected_attention, tri_attention), or the controls recent_only and random. auto is reconstruct if its scores are available, otherwise the policy with the best recall for the model family (arXiv 2406.11430; KeyDiff, arXiv 2504.15364; SnapKV, arXiv 2404.14469; H2O, arXiv 2306.14048; KVzip, arXiv 2505.23416; Expected Attention, arXiv 2510.00636; TriAttention, arXiv 2604.04921).</source>
        <translation>l2 驱逐保留哪些键：小范数、大范数、与其他键最不相似的（keydiff）、受查询关注的（observation_window、accumulated_attention、reconstruct、expected_attention、tri_attention），或对照 recent_only 和 random。auto 在得分可用时为 reconstruct，否则为该模型系列召回最好的策略（arXiv 2406.11430；KeyDiff，arXiv 2504.15364；SnapKV，arXiv 2404.14469；H2O，arXiv 2306.14048；KVzip，arXiv 2505.23416；Expected Attention，arXiv 2510.00636；TriAttention，arXiv 2604.04921）。</translation>
    </message>
    <message>
        <source>Head coherence</source>
        <translation>头一致性</translation>
    </message>
    <message>
        <source>Eviction budgets</source>
        <translation>驱逐预算</translation>
    </message>
    <message>
        <source>How an l2 eviction divides its slots among heads: equal, adaptive (by score within a layer, at least a fifth each; Ada-KV, arXiv 2407.11550) or whole_model (by score across all layers, only for attention scores). adaptive and whole_model lose less and need coherence=per_head; auto is whole_model for reconstruct, otherwise equal.</source>
        <translation>l2 驱逐如何在各头之间分配槽位：equal、adaptive（同层内按得分，每头至少五分之一；Ada-KV，arXiv 2407.11550）或 whole_model（跨所有层按得分，仅适用于注意力得分）。adaptive 和 whole_model 损失更少，需要 coherence=per_head；auto 在 reconstruct 时为 whole_model，否则为 equal。</translation>
    </message>
    <message>
        <source>Head budgets</source>
        <translation>各头预算</translation>
    </message>
    <message>
        <source>How attention matching divides its slots among heads: uniform, entropy (how widely a head attends), coverage (how far its error falls), task_free or questions (measured once per model on random tokens or on questions) or reconstruction (what a repetition of the text attends to). auto is reconstruction if its scores are available, otherwise task_free if measured, otherwise coverage.</source>
        <translation>注意力匹配如何在各头之间分配槽位：uniform、entropy（头的关注广度）、coverage（误差下降程度）、task_free 或 questions（每个模型用随机词元或问题测量一次）或 reconstruction（复述文本时所关注的内容）。auto 在得分可用时为 reconstruction，否则测量过则为 task_free，再否则为 coverage。</translation>
    </message>
    <message>
        <source>Score source</source>
        <translation>得分来源</translation>
    </message>
    <message>
        <source>Where reconstruction scores come from: surrogate predicts them while the text is read, so nothing waits; repetition is exact and reads the text up to three times. auto is surrogate if one was fitted to the model (automatically while the engine is idle, or by lacuna calibrate-kv --surrogate).</source>
        <translation>重建得分的来源：surrogate 在读取文本时预测得分，无需等待；repetition 精确，但最多读取文本三次。若已为模型拟合代理（引擎空闲时自动进行，或用 lacuna calibrate-kv --surrogate），则 auto 为 surrogate。</translation>
    </message>
    <message>
        <source>Demote structure</source>
        <translation>降低结构词元权重</translation>
    </message>
    <message>
        <source>on counts punctuation, blanks and markup as a fifth when an l2 eviction chooses by attention, which leaves more slots for words at high ratios. Tokens that join two words or numbers count fully.</source>
        <translation>on：l2 驱逐按注意力选择时，标点、空白和标记只按五分之一计，压缩比高时为词语留出更多槽位。连接两个词或数字的词元按全值计。</translation>
    </message>
    <message>
        <source>Query source</source>
        <translation>查询来源</translation>
    </message>
    <message>
        <source>Queries that an am compaction is fitted to: captured (those seen so far, at no cost), context (the text is read once more), repeat (the text is repeated, more than two readings) or random (a control for measurements). Readings need memory within cache_limit; without it the next cheaper choice is used and reported.</source>
        <translation>am 压缩所拟合的查询：captured（迄今出现的查询，没有代价）、context（再读一遍文本）、repeat（复述文本，读取两遍以上）或 random（测量对照）。读取需要 cache_limit 之内的内存；不足时采用次一级选择并报告。</translation>
    </message>
    <message>
        <source>Share of tokens with the rarest keys (names, numbers, codes) that an am compaction keeps exactly, with four neighbours on either side; at most a quarter of what a head keeps. 0 pins nothing.</source>
        <translation>am 压缩精确保留的键最罕见词元（名称、数字、代码）的比例，两侧各带四个相邻词元；最多占每个头保留量的四分之一。0 表示不固定。</translation>
    </message>
    <message>
        <source>Background compaction</source>
        <translation>后台压缩</translation>
    </message>
    <message>
        <source>on fits an am compaction on low-priority threads while the conversation continues; off pauses the answer meanwhile. A compaction that reads the text again waits for a pause between answers; other l2 compactions are immediate.</source>
        <translation>on：在低优先级线程上拟合 am 压缩，对话继续；off：期间暂停回答。需要重读文本的压缩等待回答之间的空闲；其他 l2 压缩立即完成。</translation>
    </message>
    <message>
        <source>Layers that compactions leave uncompressed, for example 0,1. The achieved ratio falls accordingly.</source>
        <translation>压缩时保持不压缩的层，例如 0,1。实际压缩比相应降低。</translation>
    </message>
    <message>
        <source>Prefill policy</source>
        <translation>预填充策略</translation>
    </message>
    <message>
        <source>after_prefill compacts once the prompt is read (best quality); per_chunk compacts between chunks (memory stays bounded).</source>
        <translation>after_prefill：提示词读完后压缩（质量最佳）；per_chunk：在分块之间压缩（内存有界）。</translation>
    </message>
    <message>
        <source>the heads of %1 have %2 dimensions</source>
        <translation>%1 的头有 %2 个维度</translation>
    </message>
    <message>
        <source>keys and values must have the same type unless one of them is coded</source>
        <translation>除非其中之一为编码，否则键和值的类型必须相同</translation>
    </message>
    <message>
        <source>no rotations were calibrated on %1; run lacuna calibrate-kv --rotations</source>
        <translation>尚未为 %1 校准旋转；请运行 lacuna calibrate-kv --rotations</translation>
    </message>
    <message>
        <source>the error that codes cause in each layer was not measured on %1; run lacuna calibrate-kv --layers</source>
        <translation>尚未测量编码在 %1 各层造成的误差；请运行 lacuna calibrate-kv --layers</translation>
    </message>
    <message>
        <source>the same in every layer</source>
        <translation>各层相同</translation>
    </message>
    <message>
        <source>hadamard; the calibrated rotations cannot be used: %1</source>
        <translation>hadamard；校准的旋转不可用：%1</translation>
    </message>
    <message>
        <source>hadamard; no rotations were calibrated on this model</source>
        <translation>hadamard；尚未为此模型校准旋转</translation>
    </message>
    <message>
        <source>a page of %1 tokens and the index must fit</source>
        <translation>必须容得下一页 %1 个词元及其索引</translation>
    </message>
    <message>
        <source>Number format of keys and values: fewer bits save memory, but too few ruin some models without warning, so measure recall first; rounded-away bits cannot be restored. q8_0 and q4_0 take about half and a third of the bytes of f16, t8 to t1 (rotated codes of 8 to 1 bits, arXiv 2504.19874) take half to a sixteenth.</source>
        <translation>键和值的数值格式：位数越少越省内存，但过少会悄然损坏某些模型，请先测量召回；舍去的部分无法恢复。q8_0 和 q4_0 约占 f16 的一半和三分之一，t8 至 t1（8 至 1 位旋转编码，arXiv 2504.19874）占一半至十六分之一。</translation>
    </message>
    <message>
        <source>Number format of the values, if it differs from that of the keys (Cache type). Values tolerate fewer bits than keys: f16 keys with q8_0, q4_0 or t4 values, or t8 keys with t4 values.</source>
        <translation>值的数值格式，与键（缓存类型）不同时在此设置。值比键更能承受少位数：f16 键配 q8_0、q4_0 或 t4 值，或 t8 键配 t4 值。</translation>
    </message>
    <message>
        <source>Number of newest tokens that a cache of rotated codes (t8 to t1) also keeps in 16 bits, so that nearby text is read exactly; it costs the memory of as many f16 tokens, and 0 keeps codes only. The first tokens (n_sink) are kept in 16 bits too (KIVI, arXiv 2402.02750, keeps 128).</source>
        <translation>旋转编码缓存（t8 至 t1）另以 16 位保留的最新词元数，使近处文本读取精确；占用同样多 f16 词元的内存，0 表示仅保留编码。最前面的词元（n_sink）也以 16 位保留（KIVI，arXiv 2402.02750，保留 128）。</translation>
    </message>
    <message>
        <source>codes only</source>
        <translation>仅编码</translation>
    </message>
    <message>
        <source>Rotation applied before coding (t8 to t1): calibrated loses less at few bits, after minutes of measuring once per model (lacuna calibrate-kv --rotations); hadamard is the same for every model. auto is calibrated if the model has it (arXiv 2605.17757).</source>
        <translation>编码前施加的旋转（t8 至 t1）：calibrated 在位数少时损失更少，每个模型需测量一次，耗时数分钟（lacuna calibrate-kv --rotations）；hadamard 对所有模型相同。模型有校准旋转时 auto 为 calibrated（arXiv 2605.17757）。</translation>
    </message>
    <message>
        <source>neither keys nor values are rotated codes (kv_type, v_type t8 to t1)</source>
        <translation>键和值都不是旋转编码（kv_type、v_type 为 t8 至 t1）</translation>
    </message>
    <message>
        <source>Additional bits per number, on average, for a cache of rotated codes (t8 to t1); they go to the layers where they save most of the error. Needs one measurement per model (lacuna calibrate-kv --layers, minutes); 0 gives every layer the same.</source>
        <translation>旋转编码缓存（t8 至 t1）每个数平均增加的位数，分配给误差下降最多的层。每个模型需测量一次（lacuna calibrate-kv --layers，数分钟）；0 表示各层相同。</translation>
    </message>
    <message>
        <source>Memory that the caches of all conversations may use together; 0 is no limit. At the limit the largest cache is compacted and caches of idle conversations are released; if that is not enough, the answer ends with an error and nothing is lost.</source>
        <translation>所有对话的缓存合计可用的内存；0 表示无上限。达到上限时压缩最大的缓存并释放空闲对话的缓存；仍不足时回答以错误结束，不丢失任何内容。</translation>
    </message>
    <message>
        <source>Memory for text already read, so that conversations, branches and requests that share a prefix need not read it again; 0 is off. Rows shared with an open conversation count, but take no second copy.</source>
        <translation>用于已读文本的内存，使共享前缀的对话、分支和请求无需重新读取；0 表示关闭。与打开的对话共享的行计入，但不占第二份。</translation>
    </message>
    <message>
        <source>Disk space for text already read, kept across restarts and shared by all models, so that a reopened conversation loads it where that is faster than reading it again; 0 is off and removes nothing. Anyone who can read the folder can recover the text; private questions are never stored.</source>
        <translation>用于已读文本的磁盘空间，跨重启保留且所有模型共用，重新打开的对话在加载快于重读时从中加载；0 表示关闭，但不删除已有内容。能读取该文件夹的人可还原文本；私密问题绝不保存。</translation>
    </message>
    <message>
        <source>Maximum number of tokens in a conversation, prompt and answer together; 0 is the model&apos;s trained context.</source>
        <translation>对话的最大词元数，含提示词和回答；0 为模型训练的上下文。</translation>
    </message>
    <message>
        <source>When the context is full, off ends the answer; a number keeps that many first tokens, drops half of the others and shifts the rest, as often as needed. Not together with a method, a window or a coded kv_type.</source>
        <translation>上下文已满时：off 结束回答；数字表示保留这么多最前面的词元，舍弃其余的一半并前移剩下的部分，按需重复。不能与方法、窗口或编码的 kv_type 同用。</translation>
    </message>
    <message>
        <source>Prompt tokens computed in one step. Settings and cancelling take effect between two steps.</source>
        <translation>一步计算的提示词词元数。设置和取消在步骤之间生效。</translation>
    </message>
    <message>
        <source>Parallel answers</source>
        <translation>并行回答</translation>
    </message>
    <message>
        <source>Conversations answered at the same time in one pass over the weights; further questions wait. While a prompt is read, each token of the others waits for one chunk.</source>
        <translation>在一遍权重中同时回答的对话数；更多问题需等待。读取提示词期间，其他对话的每个词元要等待一个分块。</translation>
    </message>
    <message>
        <source>Weight passes</source>
        <translation>权重遍历</translation>
    </message>
    <message>
        <source>shared is faster: one pass over the weights serves all answers of a step, but products may round differently. apart makes each answer bit for bit the same as when it is computed alone.</source>
        <translation>shared 更快：一遍权重供同一步的所有回答使用，但乘积的舍入可能不同。apart 使每个回答与单独计算时逐位相同。</translation>
    </message>
    <message>
        <source>answers are computed one at a time</source>
        <translation>回答逐个计算</translation>
    </message>
    <message>
        <source>Tokens guessed from earlier text and checked in one step (prompt lookup): repetitive text comes faster and the answer stays the same; 0 is off. With a budget, ties between keys of equal rank may be broken differently.</source>
        <translation>由先前文本猜测并在一步内验证的词元（提示词查找）：重复的文本生成更快，回答不变；0 表示关闭。与预算同用时，同级键之间的取舍可能不同。</translation>
    </message>
    <message>
        <source>Quality sample interval</source>
        <translation>质量采样间隔</translation>
    </message>
    <message>
        <source>Tokens between two comparisons of the compacted cache with an uncompressed one during an answer, which take time and its memory. 0 compares a few tokens in the pause after the answer.</source>
        <translation>回答期间两次将压缩后的缓存与未压缩缓存比较之间的词元数，比较需要时间和后者的内存。0 表示在回答之后的空闲时比较几个词元。</translation>
    </message>
    <message>
        <source>How activations are rounded for quantised weights: fast uses 8 bits, which small models do not always tolerate, int8 in two terms is accurate enough for every model, exact does not round and is many times slower. auto is the fastest whose mean KL from exact is at most 0.0005, measured once per model while idle, and 8 bits in two terms until then.</source>
        <translation>激活值针对量化权重如何舍入：fast 采用 8 位，小模型不一定能承受；双项 8 位对任何模型都足够精确；exact 不舍入，但慢许多倍。auto 为与 exact 的平均 KL 不超过 0.0005 的最快者，空闲时为每个模型测量一次，在此之前为双项 8 位。</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>最大词元数</translation>
    </message>
    <message>
        <source>Maximum number of tokens in an answer; 0 reads the prompt and answers nothing.</source>
        <translation>回答的最大词元数；0 表示只读取提示词而不回答。</translation>
    </message>
    <message>
        <source>the repetition window is 0</source>
        <translation>重复窗口为 0</translation>
    </message>
    <message>
        <source>Repetition window</source>
        <translation>重复窗口</translation>
    </message>
    <message>
        <source>Subtracted from the logit of every token that already occurs in the answer; 0 is off. The prompt does not count.</source>
        <translation>从回答中已出现的每个词元的 logit 中减去；0 表示关闭。提示词不计。</translation>
    </message>
    <message>
        <source>Subtracted from the logit of a token for each of its occurrences in the answer; 0 is off. The prompt does not count.</source>
        <translation>词元在回答中每出现一次，就从其 logit 中减去；0 表示关闭。提示词不计。</translation>
    </message>
    <message>
        <source>%1=%2 is now called %3; the new name is used</source>
        <translation>%1=%2 现名为 %3；采用新名称</translation>
    </message>
    <message>
        <source>%1 leaves %2 of %3 layers of %4 unchanged, because they have their own window</source>
        <translation>%1 使 %4 的 %3 层中有 %2 层保持不变，因为它们有自己的窗口</translation>
    </message>
    <message>
        <source>auto is reconstruct: a surrogate predicts its scores</source>
        <translation>auto 为 reconstruct：由代理预测其得分</translation>
    </message>
    <message>
        <source>auto is reconstruct, scored by repeating the text in pauses until a surrogate is fitted to the model; during an answer %1 chooses</source>
        <translation>auto 为 reconstruct，在停顿时通过复述文本得分，直到为模型拟合代理；回答途中由 %1 选择</translation>
    </message>
    <message>
        <source>off with %1</source>
        <translation>与 %1 同用时关闭</translation>
    </message>
    <message>
        <source>weights of %1 MiB and a cache of %2 MiB exceed the memory of %3 MiB</source>
        <translation>%1 MiB 的权重和 %2 MiB 的缓存超出 %3 MiB 的内存</translation>
    </message>
    <message>
        <source>the draft model keeps every token in its own cache, which compactions do not shrink</source>
        <translation>草稿模型在自己的缓存中保留每个词元，压缩不会使其变小</translation>
    </message>
    <message>
        <source>keys can be moved to other positions only if every token is stored uncoded</source>
        <translation>只有每个词元都未编码存储时，键才能移到其他位置</translation>
    </message>
    <message>
        <source>both limit memory by dropping different tokens</source>
        <translation>两者都通过舍弃不同的词元来限制内存</translation>
    </message>
    <message>
        <source>merged tokens cannot be dropped by age</source>
        <translation>已合并的词元无法按新旧舍弃</translation>
    </message>
    <message>
        <source>load no draft model or remove the budget</source>
        <translation>不加载草稿模型或去掉预算</translation>
    </message>
    <message>
        <source>load no draft model or set method to none</source>
        <translation>不加载草稿模型或将 method 设为 none</translation>
    </message>
    <message>
        <source>layers with a window have already dropped the tokens that would have to move</source>
        <translation>带窗口的层已舍弃需要移动的词元</translation>
    </message>
    <message>
        <source>switch the shift off or use a model without sliding layers</source>
        <translation>关闭移位或使用没有滑动层的模型</translation>
    </message>
    <message>
        <source>switch the shift off or use f16, bf16 or f32</source>
        <translation>关闭移位或使用 f16、bf16 或 f32</translation>
    </message>
    <message>
        <source>a window needs at least 2 tokens and more than n_sink</source>
        <translation>窗口至少需要 2 个词元，且多于 n_sink</translation>
    </message>
    <message>
        <source>auto is keydiff: %1 models normalise their keys (QK-norm), so key norms carry no information</source>
        <translation>auto 为 keydiff：%1 模型会归一化键（QK-norm），键的范数不含信息</translation>
    </message>
    <message>
        <source>auto is keydiff: recall was not measured with any %1 model</source>
        <translation>auto 为 keydiff：未用任何 %1 模型测量过召回</translation>
    </message>
    <message>
        <source>no forward pass is possible now</source>
        <translation>现在无法进行前向计算</translation>
    </message>
    <message>
        <source>it gave queries of %1 tokens, at least %2 are needed</source>
        <translation>只得到 %1 个词元的查询，至少需要 %2 个</translation>
    </message>
    <message>
        <source>the cache cannot remove rejected draft tokens (%1); set draft_tokens to 0</source>
        <translation>缓存无法移除被拒绝的草稿词元（%1）；请将 draft_tokens 设为 0</translation>
    </message>
    <message>
        <source>tokens %1 to %2 are not part of this conversation, whose cache covers %3</source>
        <translation>词元 %1 至 %2 不属于此对话，其缓存涵盖 %3 个</translation>
    </message>
    <message>
        <source>older tokens of this conversation were dropped to make room in the context, so its text cannot be read again</source>
        <translation>此对话较旧的词元已被丢弃以腾出上下文，因此无法重读其文本</translation>
    </message>
    <message>
        <source>message %1 cannot be pinned; the conversation has %2</source>
        <translation>无法固定消息 %1；此对话有 %2 条</translation>
    </message>
    <message>
        <source>bytes %1 to %2 of message %3 cannot be pinned; it has %4</source>
        <translation>无法固定消息 %3 的第 %1 至 %2 字节；它有 %4 字节</translation>
    </message>
    <message>
        <source>words cannot be pinned with this model: its tokenizer changes the text, so token %1 cannot be found in it</source>
        <translation>此模型无法固定词语：其分词器会改动文本，因此在其中找不到词元 %1</translation>
    </message>
    <message>
        <source>the prompt and the cache share no prefix</source>
        <translation>提示词与缓存没有共同前缀</translation>
    </message>
    <message>
        <source>window exceeded</source>
        <translation>超出窗口</translation>
    </message>
    <message>
        <source>%1: the cache can go back %2 tokens but %3 are needed (%4), so the prompt is read again</source>
        <translation>%1：缓存可回退 %2 个词元，但需要 %3 个（%4），因此重新读取提示词</translation>
    </message>
    <message>
        <source>a page of this text on disk is not used: %1</source>
        <translation>此文本在磁盘上的一页未被使用：%1</translation>
    </message>
    <message>
        <source>%1 more tokens are on disk, but reading them would take about %2 ms and computing them %3</source>
        <translation>磁盘上还有 %1 个词元，但读取约需 %2 ms，计算约需 %3</translation>
    </message>
    <message>
        <source>pages of this text on disk are damaged or missing</source>
        <translation>此文本在磁盘上的页已损坏或丢失</translation>
    </message>
    <message>
        <source>%1 tokens were read from disk, where %2 stores rounded rows: close to the computed ones, but not identical (lacuna tier codec)</source>
        <translation>从磁盘读取了 %1 个词元，%2 在磁盘上保存的是舍入后的行：接近计算结果，但不完全相同（lacuna tier codec）</translation>
    </message>
    <message>
        <source>a prefix entry shares %1 tokens, fewer than the %2 that are worth reusing</source>
        <translation>一个前缀条目有 %1 个共同词元，少于值得复用的 %2 个</translation>
    </message>
    <message>
        <source>a prefix entry shares %1 tokens but cannot be cut below %2: %3</source>
        <translation>一个前缀条目有 %1 个共同词元，但无法截短到 %2 以下：%3</translation>
    </message>
    <message>
        <source>The stored precision measurement of %1 cannot be used: %2.</source>
        <translation>无法使用为 %1 保存的精度测量：%2。</translation>
    </message>
    <message>
        <source>auto is int8 in two terms, accurate enough for every model, until it is measured</source>
        <translation>auto 为双项 int8，对任何模型都足够精确，直到测量为止</translation>
    </message>
    <message>
        <source>The cache of an idle conversation was released: %1.</source>
        <translation>已释放一个空闲对话的缓存：%1。</translation>
    </message>
    <message>
        <source>choose a compaction method, raise cache_limit or start a new conversation</source>
        <translation>请选择压缩方法、提高 cache_limit 或开始新对话</translation>
    </message>
    <message>
        <source>compaction keeps at least %1 slots per head: raise cache_limit, lower keep_recent or start a new conversation</source>
        <translation>压缩每头至少保留 %1 个槽位：请提高 cache_limit、降低 keep_recent 或开始新对话</translation>
    </message>
    <message>
        <source>Every token in 16 bits: the reference for the others.</source>
        <translation>每个词元 16 位：其他预设的基准。</translation>
    </message>
    <message>
        <source>Half of the memory or less at almost no loss: keys in 8 bits, values in 4. Values in 8 bits if 4 did not pass the measurement.</source>
        <translation>内存减半或更少，几乎没有损失：键 8 位，值 4 位。若 4 位未通过测量，则值为 8 位。</translation>
    </message>
    <message>
        <source>Keys in 5 bits if they pass the measurement, otherwise 6, and values in 4. If extra bits were measured and pass: 4.25 bits on average.</source>
        <translation>键 5 位（若通过测量，否则 6 位），值 4 位。若测量过额外位数并通过：平均 4.25 位。</translation>
    </message>
    <message>
        <source>Safe, or 4.25 bits where Balanced uses them; once half of the context is full, the least needed tokens are evicted.</source>
        <translation>同“安全”，或在“均衡”采用时为 4.25 位；上下文用到一半后驱逐最不需要的词元。</translation>
    </message>
    <message>
        <source>Safe, and 4x smaller by attention matching; takes work in the background.</source>
        <translation>同“安全”，并通过注意力匹配缩小 4x；需要后台计算。</translation>
    </message>
    <message>
        <source>the cache was released</source>
        <translation>缓存已释放</translation>
    </message>
    <message>
        <source>both caches together need %1, but cache_limit leaves %2</source>
        <translation>两个缓存合计需要 %1，但 cache_limit 只剩 %2</translation>
    </message>
    <message>
        <source>The cache of conversation %1 changes from %2 to %3: rounded-away bits cannot be restored, so only new tokens gain precision.</source>
        <translation>对话 %1 的缓存从 %2 变为 %3：舍去的部分无法恢复，因此只有新词元更精确。</translation>
    </message>
    <message>
        <source>The cache of conversation %1 stays in %2: converting it to %3 was cancelled at %4 % of its rows, and nothing has changed.</source>
        <translation>对话 %1 的缓存仍为 %2：转换为 %3 在完成 %4 % 的行时被取消，未作任何更改。</translation>
    </message>
    <message>
        <source>it was cancelled and nothing has changed</source>
        <translation>已取消，未作任何更改</translation>
    </message>
    <message>
        <source>this cache was replaced by another one</source>
        <translation>此缓存已被另一个替换</translation>
    </message>
    <message>
        <source>The cache of conversation %1 is now in %2: %3 instead of %4. It was converted in %5 slices of at most %6 ms.</source>
        <translation>对话 %1 的缓存现为 %2：%3，而非 %4。转换分 %5 段进行，每段最多 %6 ms。</translation>
    </message>
    <message>
        <source>The cache of conversation %1 keeps its number format until its next question, which reads the text again: %2</source>
        <translation>对话 %1 的缓存保持其数值格式，直到下一个问题重新读取文本：%2</translation>
    </message>
    <message>
        <source>The conversion of the cache of conversation %1 had already finished and could not be cancelled.</source>
        <translation>对话 %1 的缓存转换已经完成，无法取消。</translation>
    </message>
    <message>
        <source>The request was not carried out, because there is not enough memory.</source>
        <translation>由于内存不足，请求未执行。</translation>
    </message>
    <message>
        <source>an unknown exception was thrown.</source>
        <translation>抛出了未知异常。</translation>
    </message>
    <message>
        <source>its cache needs %1 MiB, but cache_limit leaves %2</source>
        <translation>其缓存需要 %1 MiB，但 cache_limit 只剩 %2</translation>
    </message>
    <message>
        <source>The measurement of the model&apos;s heads could not be saved: %1. It is used until the program ends.</source>
        <translation>无法保存模型各头的测量：%1。它在程序结束前有效。</translation>
    </message>
    <message>
        <source>for %1 parallel answers</source>
        <translation>供 %1 个并行回答</translation>
    </message>
    <message>
        <source>with the uncompressed cache of live quality</source>
        <translation>含实时质量的未压缩缓存</translation>
    </message>
    <message>
        <source>The memory of this machine is unknown.</source>
        <translation>本机内存未知。</translation>
    </message>
    <message>
        <source>The weights need %1 MiB, but %2 MiB are free: use a smaller file of this model or close other programs.</source>
        <translation>权重需要 %1 MiB，但空闲内存为 %2 MiB：请使用此模型的较小文件，或关闭其他程序。</translation>
    </message>
    <message>
        <source>An F16 cache has room for %1 of the %2 tokens of the trained context%3; set a token budget, a smaller context or fewer parallel answers.</source>
        <translation>F16 缓存可容纳训练上下文 %2 个词元中的 %1 个%3；请设置词元预算、较小的上下文或较少的并行回答。</translation>
    </message>
    <message>
        <source>the settings do not fit %1</source>
        <translation>设置不适合 %1</translation>
    </message>
    <message>
        <source>%1, %2 per token, inner width %3</source>
        <translation>%1，每词元 %2，内部宽度 %3</translation>
    </message>
    <message>
        <source>compacted in the background (%1 % extra each)</source>
        <translation>后台压缩（每个另占 %1 %）</translation>
    </message>
    <message>
        <source>the uncompressed cache of live quality</source>
        <translation>实时质量的未压缩缓存</translation>
    </message>
    <message>
        <source>at most %1 of caches</source>
        <translation>缓存最多 %1</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>the newest %1 tokens are read to see what their queries attend to</source>
        <translation>读取最新的 %1 个词元以查看其查询关注的内容</translation>
    </message>
    <message>
        <source>private conversations are not stored</source>
        <translation>私密对话不会保存</translation>
    </message>
    <message>
        <source>no uncompressed prefix of this text is stored</source>
        <translation>没有保存此文本的未压缩前缀</translation>
    </message>
    <message>
        <source>no folder is set for the disk cache</source>
        <translation>未设置磁盘缓存的文件夹</translation>
    </message>
    <message>
        <source>The precision of rows on disk is unchanged: %1.</source>
        <translation>磁盘上行的精度未改变：%1。</translation>
    </message>
    <message>
        <source>The disk cache is not used at the moment: %1.</source>
        <translation>当前未使用磁盘缓存：%1。</translation>
    </message>
    <message>
        <source>another comparison was started</source>
        <translation>开始了另一次比较</translation>
    </message>
    <message>
        <source>both sides use the current precision; change it for the whole program instead</source>
        <translation>两侧都使用当前精度；请改为对整个程序更改</translation>
    </message>
    <message>
        <source>the number of threads changed, so the two sides could not be compared; compare again</source>
        <translation>线程数已更改，因此无法比较两侧；请重新比较</translation>
    </message>
    <message>
        <source>another sweep was started</source>
        <translation>开始了另一次扫描</translation>
    </message>
    <message>
        <source>older tokens of this conversation were dropped to make room in the context</source>
        <translation>为腾出上下文空间，此对话较旧的词元已被舍弃</translation>
    </message>
    <message>
        <source>compactions with these settings read the full text again, which takes too long between a question and its answer</source>
        <translation>采用这些设置的压缩会重读全文，在问题与回答之间耗时过长</translation>
    </message>
    <message>
        <source>it would read %1 tokens again, in about %2 s; the limit between a question and its answer is %3 tokens and %4 s</source>
        <translation>需要重读 %1 个词元，约 %2 s；问题与回答之间的上限为 %3 个词元和 %4 s</translation>
    </message>
    <message>
        <source>another calibration was started</source>
        <translation>开始了另一次校准</translation>
    </message>
    <message>
        <source>the cache of one passage needs %1 MiB, but cache_limit leaves %2</source>
        <translation>一个段落的缓存需要 %1 MiB，但 cache_limit 只剩 %2</translation>
    </message>
    <message>
        <source>this conversation has no cache to estimate from</source>
        <translation>此对话没有可用于估算的缓存</translation>
    </message>
    <message>
        <source>the text must be read first</source>
        <translation>需要先读取文本</translation>
    </message>
    <message>
        <source>the text is no longer in the cache</source>
        <translation>文本已不在缓存中</translation>
    </message>
    <message>
        <source>conversation %1, which has its own cache settings</source>
        <translation>有自己缓存设置的对话 %1</translation>
    </message>
    <message>
        <source>It does not fit %1: %2</source>
        <translation>不适合 %1：%2</translation>
    </message>
    <message>
        <source>The cache settings of %1 do not fit this model and were discarded: %2</source>
        <translation>%1 的缓存设置不适合此模型，已被放弃：%2</translation>
    </message>
    <message>
        <source>an answer of this conversation is being written; wait until it ends</source>
        <translation>正在生成此对话的回答；请等待其结束</translation>
    </message>
    <message>
        <source>the cache of this conversation does not use the current settings yet; try again after its next answer</source>
        <translation>此对话的缓存尚未采用当前设置；请在下一个回答之后重试</translation>
    </message>
    <message>
        <source>this conversation is being compacted in the background; try again when that has ended</source>
        <translation>此对话正在后台压缩；请在结束后重试</translation>
    </message>
    <message>
        <source>%1; these tokens can only be restored by reading the text again</source>
        <translation>%1；这些词元只能通过重读文本恢复</translation>
    </message>
    <message>
        <source>The context of %1 tokens was full: %2 older tokens were dropped.</source>
        <translation>%1 个词元的上下文已满：舍弃了 %2 个较旧的词元。</translation>
    </message>
    <message>
        <source>the prompt contains token %1, but the vocabulary has tokens 0 to %2</source>
        <translation>提示词含有词元 %1，但词表只有 0 到 %2</translation>
    </message>
    <message>
        <source>The answer was stopped because the model was replaced.</source>
        <translation>由于模型被替换，回答已停止。</translation>
    </message>
    <message>
        <source>there is not enough memory to start this answer</source>
        <translation>内存不足，无法开始此回答</translation>
    </message>
    <message>
        <source>its prefix entry is being loaded</source>
        <translation>正在加载其前缀条目</translation>
    </message>
    <message>
        <source>the cache type or window was changed, so the prompt is read again</source>
        <translation>缓存类型或窗口已更改，因此重新读取提示词</translation>
    </message>
    <message>
        <source>the cache of this conversation was released to make room for others</source>
        <translation>为给其他对话腾出空间，此对话的缓存已被释放</translation>
    </message>
    <message>
        <source>%1 is not a regular file and is not replaced</source>
        <translation>%1 不是普通文件，不会被替换</translation>
    </message>
    <message>
        <source>%1: the folder cannot be created: %2</source>
        <translation>%1：无法创建文件夹：%2</translation>
    </message>
    <message>
        <source>%1 would replace its own source (%2); choose another file</source>
        <translation>%1 会覆盖其自身的来源（%2）；请选择其他文件</translation>
    </message>
    <message>
        <source>no measurement fits into the context of %1 tokens</source>
        <translation>没有任何测量能放进 %1 个词元的上下文</translation>
    </message>
    <message>
        <source>%1 windows of running text, %2 tokens measured after %3</source>
        <translation>%1 段连续文本，每段在 %3 个之后测量 %2 个词元</translation>
    </message>
    <message>
        <source>speed of %1 tokens after %2, median of %3 rounds alternating with the full cache</source>
        <translation>%2 个之后 %1 个词元的速度，与完整缓存轮流 %3 轮取中位数</translation>
    </message>
    <message>
        <source>%1 texts exceed the model&apos;s context</source>
        <translation>%1 个文本超出模型的上下文</translation>
    </message>
    <message>
        <source>method is none and the cache is not compressed</source>
        <translation>未选择方法且缓存未压缩</translation>
    </message>
    <message>
        <source>the AM ratio is 1, there is no budget and the cache is not compressed</source>
        <translation>AM 压缩比为 1、没有预算且缓存未压缩</translation>
    </message>
    <message>
        <source>Attention chunk</source>
        <translation>注意力分块</translation>
    </message>
    <message>
        <source>Attention sinks</source>
        <translation>注意力汇聚</translation>
    </message>
    <message>
        <source>the layers of %1 differ in KV heads or head size, but calibrated rotations need one size</source>
        <translation>%1 各层的 KV 头数或头维度不同，而校准旋转要求尺寸一致</translation>
    </message>
    <message>
        <source>hadamard; the layers of this model differ in KV heads or head size</source>
        <translation>hadamard；此模型各层的 KV 头数或头维度不同</translation>
    </message>
    <message>
        <source>no layer of %1 stores keys and values</source>
        <translation>%1 的任何层都不存储键和值</translation>
    </message>
    <message>
        <source>recurrent states</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>%1 restored or pinned tokens no longer fit and may be evicted</source>
        <translation>%1 个已恢复或固定的词元已放不下，可能被驱逐</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the loss is measured first, after this answer</source>
        <translation>到期：每头 %1 个槽位；先在此回答之后测量损失</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the loss is measured first, after the next answer</source>
        <translation>到期：每头 %1 个槽位；先在下一个回答之后测量损失</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the text is read again first, after this answer</source>
        <translation>到期：每头 %1 个槽位；先在此回答之后重读文本</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the text is read again first, after the next answer</source>
        <translation>到期：每头 %1 个槽位；先在下一个回答之后重读文本</translation>
    </message>
    <message>
        <source>Slot budget</source>
        <translation>槽位预算</translation>
    </message>
    <message>
        <source>at_budget compacts as soon as the budget or ratio is exceeded by the margin; turn_late compacts, at the end of each answer, the text before its question, fitted to the queries of that turn; it may exceed the budget by one turn (delayed compaction, arXiv 2608.00902). cache_limit and manual compaction always act at once.</source>
        <translation>at_budget：超出预算或压缩比达到余量即压缩；turn_late：每次回答结束时压缩其问题之前的文本，按该轮的查询拟合；可能超出预算一轮（延迟压缩，arXiv 2608.00902）。cache_limit 和手动压缩总是立即执行。</translation>
    </message>
    <message>
        <source>Restore evicted tokens</source>
        <translation>恢复被驱逐的词元</translation>
    </message>
    <message>
        <source>Finds evicted tokens that a question needs, by reading it with the full text if that is still stored (prefix_cache, prefix_disk); ask names them, auto restores them within what compactions may keep. Costs a second reading of the question and of the answer before it, and a compaction if tokens are restored.</source>
        <translation>若完整文本仍有保存（prefix_cache、prefix_disk），则在其上再读一遍问题，以找出问题所需的被驱逐词元；ask 列出它们，auto 在压缩可保留的范围内将其恢复。代价是把问题和之前的回答再读一遍，恢复词元时还要压缩一次。</translation>
    </message>
    <message>
        <source>one checkpoint of %1 takes %2 MiB</source>
        <translation>%1 的一个检查点占用 %2 MiB</translation>
    </message>
    <message>
        <source>%1 checkpoints of %2 MiB</source>
        <translation>%1 个检查点，每个 %2 MiB</translation>
    </message>
    <message>
        <source>KV type</source>
        <translation>KV 类型</translation>
    </message>
    <message>
        <source>Every layer keeps only the first tokens (n_sink) and the newest, this many in all: memory stops growing, and everything in between is dropped permanently (arXiv 2309.17453). Not together with a method or a budget.</source>
        <translation>每层只保留最前面的词元（n_sink）和最新的词元，总数如此：内存不再增长，其间的内容永久丢弃（arXiv 2309.17453）。不能与方法或预算同用。</translation>
    </message>
    <message>
        <source>State checkpoints</source>
        <translation>状态检查点</translation>
    </message>
    <message>
        <source>Memory of a conversation for states of recurrent layers, kept where messages begin and where texts part, so that an edit, another answer or another branch reads only the tokens after the nearest one; 0 keeps none. At the limit the least useful one is evicted.</source>
        <translation>一次对话用于循环层状态的内存，保存于消息开头和文本分叉处，使编辑、另一回答或另一分支只需读取最近检查点之后的词元；0 表示不保存。达到上限时驱逐用处最小的一个。</translation>
    </message>
    <message>
        <source>the model has no recurrent layers</source>
        <translation>该模型没有循环层</translation>
    </message>
    <message>
        <source>Checkpoint type</source>
        <translation>检查点类型</translation>
    </message>
    <message>
        <source>state_memory is 0</source>
        <translation>state_memory 为 0</translation>
    </message>
    <message>
        <source>precision is exact, which keeps f32</source>
        <translation>precision 为 exact，保持 f32</translation>
    </message>
    <message>
        <source>Draft source</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <source>Where draft_tokens come from without a draft model: lookup repeats earlier text, mtp asks the block for multi-token prediction that some model files contain. The answer stays the same; mtp takes memory for the block&apos;s own small cache.</source>
        <translation>没有草稿模型时 draft_tokens 的来源：lookup 重复较早文本，mtp 使用某些模型文件自带的多词元预测块。回答不变；mtp 需要为该块的小缓存占用内存。</translation>
    </message>
    <message>
        <source>draft_tokens is 0</source>
        <translation>draft_tokens 为 0</translation>
    </message>
    <message>
        <source>a draft model is loaded</source>
        <translation>已加载草稿模型</translation>
    </message>
    <message>
        <source>the model has no block for multi-token prediction, so earlier text is looked up</source>
        <translation>该模型没有多词元预测块，因此查找较早文本</translation>
    </message>
    <message>
        <source>a cache with a window drops tokens by age only</source>
        <translation>带窗口的缓存仅按新旧丢弃词元</translation>
    </message>
    <message>
        <source>%1 tokens are restored or pinned, but compactions with these settings can keep only %2 unchanged; choose fewer or compact less</source>
        <translation>有 %1 个词元被恢复或固定，但这些设置下的压缩只能原样保留 %2 个；请少选一些，或减轻压缩</translation>
    </message>
    <message>
        <source>no tokens were named to restore</source>
        <translation>没有指定要恢复的词元</translation>
    </message>
    <message>
        <source>with %1 MiB of checkpoints each</source>
        <translation>各有 %1 MiB 检查点</translation>
    </message>
    <message>
        <source>states %1</source>
        <translation>状态 %1</translation>
    </message>
    <message>
        <source>Drafting ended: %1</source>
        <translation>草稿已停止：%1</translation>
    </message>
    <message>
        <source>the pinned words were changed</source>
        <translation>固定的词语已更改</translation>
    </message>
    <message>
        <source>the number of compute threads was changed</source>
        <translation>计算线程数已更改</translation>
    </message>
    <message>
        <source>it was cancelled at this point</source>
        <translation>它在此处被取消</translation>
    </message>
    <message>
        <source>judged by its captured queries</source>
        <translation>按其记录的查询评判</translation>
    </message>
    <message>
        <source>Whether each head chooses alone what to evict (per_head, loses least), or the heads of a layer or of all layers choose together.</source>
        <translation>各头是独立选择驱逐内容（per_head，损失最少），还是同层或所有层的头一起选择。</translation>
    </message>
    <message>
        <source>the latent part of a row of %1 has %2 numbers</source>
        <translation>%1 的一行的潜在部分有 %2 个数</translation>
    </message>
    <message>
        <source>%1, and rotated codes need a multiple of %2 from %3 to %4</source>
        <translation>%1，而旋转编码需要 %3 到 %4 之间 %2 的倍数</translation>
    </message>
    <message>
        <source>the values of %1 are parts of its keys (latent attention) and have their format</source>
        <translation>%1 的值是其键的一部分（潜在注意力），并使用相同格式</translation>
    </message>
    <message>
        <source>the values of %1 are parts of its keys (latent attention), but calibrated rotations need both apart</source>
        <translation>%1 的值是其键的一部分（潜在注意力），但校准旋转需要两者分开</translation>
    </message>
    <message>
        <source>hadamard; the values of this model are parts of its keys (latent attention)</source>
        <translation>Hadamard；此模型的值是其键的一部分（潜在注意力）</translation>
    </message>
    <message>
        <source>auto saves memory: layers that see only a window of the text keep only that window (gemma, mistral). uniform keeps every token in all layers, so a conversation can be rolled back to any point without reading it again.</source>
        <translation>auto 节省内存：只看到文本窗口的层只保留该窗口（gemma、mistral）。uniform 在所有层保留每个 token，因此对话可以回退到任意位置而无需重新读取。</translation>
    </message>
    <message>
        <source>int8 keeps almost four times as many checkpoints of recurrent states, but returning to one rounds the state to 8 bits; with f32 the text continues with the same bits. The newest tokens can always be rolled back without rounding.</source>
        <translation>int8 可保留近四倍的循环状态检查点，但返回检查点会将状态舍入为 8 位；使用 f32 时文本以相同的位继续。最新的 token 总能无舍入地回退。</translation>
    </message>
    <message>
        <source>the full cache would temporarily take %1 MiB, but only %2 MiB are left below cache_limit</source>
        <translation>完整缓存会暂时占用 %1 MiB，但在 cache_limit 以下只剩 %2 MiB</translation>
    </message>
    <message>
        <source>The system provided only %1 of %2 compute threads; answers are slower.</source>
        <translation>系统只提供了 %2 个计算线程中的 %1 个；回答会变慢。</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>%1, read by row from the file</source>
        <translation>%1，从文件逐行读取</translation>
    </message>
</context>
<context>
    <name>EngineReplies</name>
    <message>
        <source>the list of models is not JSON.</source>
        <translation>模型列表不是 JSON。</translation>
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
        <source>Wake up</source>
        <translation>唤醒</translation>
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
        <source>Cache in use</source>
        <translation>缓存使用率</translation>
    </message>
    <message>
        <source>Tokens in the cache</source>
        <translation>缓存中的词元</translation>
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
        <source>Answer tokens</source>
        <translation>回答词元</translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation>提示词词元</translation>
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
        <source>Requests answered</source>
        <translation>已回答的请求</translation>
    </message>
    <message>
        <source>Drafted tokens</source>
        <translation>草稿词元</translation>
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
        <source>Time in the queue</source>
        <translation>排队时间</translation>
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
        <source>LMCache: tokens stored</source>
        <translation>LMCache：存储的词元</translation>
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
    <message>
        <source>it contains no list of models.</source>
        <translation>其中没有模型列表。</translation>
    </message>
    <message>
        <source>the slots are not a list.</source>
        <translation>槽位不是列表。</translation>
    </message>
    <message>
        <source>Clear the prefix cache</source>
        <translation>清空前缀缓存</translation>
    </message>
    <message>
        <source>Stored prompts are discarded; the next ones are read in full.</source>
        <translation>存储的提示词将被丢弃；之后的提示词会完整读取。</translation>
    </message>
    <message>
        <source>vLLM offers this only when started with VLLM_SERVER_DEV_MODE=1 (and, for sleep, --enable-sleep-mode).</source>
        <translation>vLLM 仅在以 VLLM_SERVER_DEV_MODE=1 启动时提供此功能（休眠还需 --enable-sleep-mode）。</translation>
    </message>
    <message>
        <source>Put to sleep</source>
        <translation>使其休眠</translation>
    </message>
    <message>
        <source>Weights move to main memory and the cache is discarded; nothing is answered until the engine wakes up.</source>
        <translation>权重移入主内存并丢弃缓存；引擎唤醒前不回答任何请求。</translation>
    </message>
    <message>
        <source>Weights are loaded again, and answering resumes.</source>
        <translation>重新加载权重，并继续回答。</translation>
    </message>
    <message>
        <source>SGLang releases memory only when started with --enable-memory-saver.</source>
        <translation>SGLang 仅在以 --enable-memory-saver 启动时才能释放内存。</translation>
    </message>
    <message>
        <source>Release memory</source>
        <translation>释放内存</translation>
    </message>
    <message>
        <source>Weights and cache leave the accelerator; nothing is answered until memory is reclaimed.</source>
        <translation>权重和缓存离开加速器；重新占用内存之前不回答任何请求。</translation>
    </message>
    <message>
        <source>Reclaim memory</source>
        <translation>重新占用内存</translation>
    </message>
    <message>
        <source>Weights and cache return to the accelerator, and answering resumes.</source>
        <translation>权重和缓存回到加速器，并继续回答。</translation>
    </message>
    <message>
        <source>Clear all slots</source>
        <translation>清空所有槽位</translation>
    </message>
    <message>
        <source>llama-server offers this only when started with --slot-save-path.</source>
        <translation>llama-server 仅在以 --slot-save-path 启动时提供此功能。</translation>
    </message>
    <message>
        <source>Clear the caches</source>
        <translation>清空缓存</translation>
    </message>
    <message>
        <source>Caches that are not in use are cleared.</source>
        <translation>清空未使用的缓存。</translation>
    </message>
    <message>
        <source>%1: the engine reports a failure.</source>
        <translation>%1：引擎报告失败。</translation>
    </message>
    <message>
        <source>Answers in progress</source>
        <translation>正在生成的回答</translation>
    </message>
    <message>
        <source>Waiting requests</source>
        <translation>等待的请求</translation>
    </message>
    <message>
        <source>Cache capacity, tokens</source>
        <translation>缓存容量（词元）</translation>
    </message>
    <message>
        <source>KL to the full cache</source>
        <translation>相对完整缓存的 KL</translation>
    </message>
    <message>
        <source>Decode speed, reported</source>
        <translation>解码速度（自报）</translation>
    </message>
    <message>
        <source>Prefill speed, reported</source>
        <translation>预填充速度（自报）</translation>
    </message>
    <message>
        <source>Prefix cache: hit rate, reported</source>
        <translation>前缀缓存：命中率（自报）</translation>
    </message>
    <message>
        <source>Preempted requests</source>
        <translation>被抢占的请求</translation>
    </message>
    <message>
        <source>Drafted tokens accepted</source>
        <translation>被采纳的草稿词元</translation>
    </message>
    <message>
        <source>Draft acceptance rate, reported</source>
        <translation>草稿采纳率（自报）</translation>
    </message>
    <message>
        <source>Request time</source>
        <translation>请求耗时</translation>
    </message>
    <message>
        <source>Prefill time</source>
        <translation>预填充时间</translation>
    </message>
    <message>
        <source>Decode time</source>
        <translation>解码时间</translation>
    </message>
    <message>
        <source>Tokens per prompt</source>
        <translation>每个提示词的词元</translation>
    </message>
    <message>
        <source>Tokens per answer</source>
        <translation>每个回答的词元</translation>
    </message>
    <message>
        <source>LMCache: bytes in remote storage</source>
        <translation>LMCache：远程存储字节</translation>
    </message>
    <message>
        <source>LMCache: tokens retrieved</source>
        <translation>LMCache：取回的词元</translation>
    </message>
    <message>
        <source>LMCache: hit rate</source>
        <translation>LMCache：命中率</translation>
    </message>
    <message>
        <source>LMCache: retrieval time</source>
        <translation>LMCache：取回耗时</translation>
    </message>
    <message>
        <source>LMCache: evictions</source>
        <translation>LMCache：驱逐</translation>
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
        <source>%1 slots</source>
        <translation>%1 个槽位</translation>
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
        <source>Slots per head</source>
        <translation>各头槽位</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>The number of slots per head appears here with the first prompt.</source>
        <translation>每头的槽位数在首个提示词后显示于此。</translation>
    </message>
    <message>
        <source>One cell per layer and key-value head. Full colour: as many slots as the conversation has tokens; paler: fewer after compaction.</source>
        <translation>每层每个键值头一格。颜色最深：槽位数等于对话词元数；较浅：压缩后剩余更少。</translation>
    </message>
    <message>
        <source>slots per head</source>
        <translation>每头槽位</translation>
    </message>
    <message>
        <source>Slots by layer and head: %1 layers of %2 heads, %3 to %4 slots for %5 tokens, %6 in total.</source>
        <translation>各层各头的槽位：%1 层 × %2 头，%5 个词元占 %3 至 %4 个槽位，共 %6。</translation>
    </message>
    <message>
        <source>One column per token, one row per layer; the darker, the more heads of the layer still hold the token. The band above shows the overall state of the token.</source>
        <translation>每列一个词元，每行一层；颜色越深，该层保留此词元的头越多。上方色带表示该词元的总体状态。</translation>
    </message>
    <message>
        <source>Layer %1 has no cache</source>
        <translation>第 %1 层没有缓存</translation>
    </message>
    <message>
        <source>Layer %1 reads the cache of layer %2</source>
        <translation>第 %1 层读取第 %2 层的缓存</translation>
    </message>
    <message>
        <source>Layer %1 has no head %2</source>
        <translation>第 %1 层没有头 %2</translation>
    </message>
    <message>
        <source>%1. %2.</source>
        <translation>%1。%2。</translation>
    </message>
</context>
<context>
    <name>HubAddress</name>
    <message>
        <source>This is not a model name. Write it as OWNER/NAME, or enter the address of a file.</source>
        <translation>这不是模型名称。请写成“所有者/名称”，或给出文件的地址。</translation>
    </message>
    <message>
        <source>This is not the address of a hub. Write it like %1.</source>
        <translation>这不是模型库的地址。请写成 %1 的形式。</translation>
    </message>
    <message>
        <source>%1 cannot be downloaded: the address must start with https://.</source>
        <translation>无法下载 %1：地址必须以 https:// 开头。</translation>
    </message>
    <message>
        <source>An address must not contain a user name or password.</source>
        <translation>地址不得包含用户名或密码。</translation>
    </message>
    <message>
        <source>%1 would be contacted unencrypted, and anyone on the network path could change the data. Use https, or allow http for this download.</source>
        <translation>与 %1 的连接将不加密，网络途中任何人都可能改动数据。请使用 https，或为此次下载允许 http。</translation>
    </message>
    <message>
        <source>The server redirects to another address. %1</source>
        <translation>服务器重定向到另一地址。%1</translation>
    </message>
    <message>
        <source>The server redirects from https to http (%1), which is not followed.</source>
        <translation>服务器从 https 重定向到 http (%1)；不予跟随。</translation>
    </message>
    <message>
        <source>The server redirects to this machine or a private network (%1), which is not followed.</source>
        <translation>服务器重定向到本机或专用网络（%1）；不予跟随。</translation>
    </message>
    <message>
        <source>“%1” is not allowed as a file name: use letters, digits and . _ - only, at most %2 characters.</source>
        <translation>“%1”不能用作文件名：只能有字母、数字和 . _ -，最多 %2 个字符。</translation>
    </message>
</context>
<context>
    <name>HubListing</name>
    <message>
        <source>The list of files cannot be understood: %1</source>
        <translation>无法理解文件列表：%1</translation>
    </message>
    <message>
        <source>it has more than %1 entries.</source>
        <translation>它超过 %1 个条目。</translation>
    </message>
    <message>
        <source>an entry has no usable path.</source>
        <translation>有条目没有可用的路径。</translation>
    </message>
    <message>
        <source>it is not a list.</source>
        <translation>它不是列表。</translation>
    </message>
    <message>
        <source>an entry is not an object.</source>
        <translation>有条目不是对象。</translation>
    </message>
    <message>
        <source>The repository has only %2 of its %1 parts.</source>
        <translation>存储库只有其 %1 个部分中的 %2 个。</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>System language</source>
        <translation>系统语言</translation>
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
        <source>Compactions</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>The uncompressed cache that live quality compares with.</source>
        <translation>实时质量用来比较的未压缩缓存。</translation>
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
        <source>Measured now: %1.</source>
        <translation>当前实测：%1。</translation>
    </message>
    <message>
        <source>All</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Rest of the program</source>
        <translation>程序其余部分</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Weights of the model.</source>
        <translation>模型的权重。</translation>
    </message>
    <message>
        <source>Keys and values of the tokens in the cache.</source>
        <translation>缓存中词元的键和值。</translation>
    </message>
    <message>
        <source>Reserved for future tokens.</source>
        <translation>为后续词元预留。</translation>
    </message>
    <message>
        <source>Working memory of one prefill step.</source>
        <translation>一个预填充步骤的工作内存。</translation>
    </message>
    <message>
        <source>Text already read, kept for texts that share a prefix (maximum).</source>
        <translation>已读文本，供共享前缀的文本使用（最大值）。</translation>
    </message>
    <message>
        <source>Copies and readings during compactions (maximum).</source>
        <translation>压缩期间的副本和读取（最大值）。</translation>
    </message>
    <message>
        <source>Measured: window, vocabulary, session recording, and working memory of compactions and estimates.</source>
        <translation>测得：窗口、词表、会话记录，以及压缩和估算的工作内存。</translation>
    </message>
    <message>
        <source>It fits into the free %1.</source>
        <translation>可放入空闲的 %1。</translation>
    </message>
    <message>
        <source>It does not fit into the free %1; %2 tokens do.</source>
        <translation>放不进空闲的 %1；%2 个词元放得下。</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>States</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>States of recurrent layers; they do not grow with the text.</source>
        <translation>循环层的状态；不随文本增长。</translation>
    </message>
    <message>
        <source>Earlier states, from which an edit or another answer continues (maximum).</source>
        <translation>较早的状态，编辑或另一回答从此处继续（最大值）。</translation>
    </message>
    <message>
        <source>One more checkpoint costs</source>
        <translation>再加一个检查点的开销</translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Cache of the draft model or of the model&apos;s own draft block.</source>
        <translation>草稿模型或模型自带草稿块的缓存。</translation>
    </message>
</context>
<context>
    <name>MemoryVerdict</name>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>%1 分钟前</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>%1 小时前</translation>
    </message>
    <message>
        <source>Nothing is cached yet</source>
        <translation>缓存中还没有内容</translation>
    </message>
    <message>
        <source>Memory %1, not compressed</source>
        <translation>内存 %1，未压缩</translation>
    </message>
    <message>
        <source>Memory %1 instead of %2 (%3 smaller)</source>
        <translation>内存 %1，原为 %2（缩小 %3）</translation>
    </message>
    <message numerus="yes">
        <source>%n compaction(s)</source>
        <translation>
            <numerusform>%n 次压缩</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 次失败</translation>
    </message>
    <message>
        <source>%1 limited</source>
        <translation>%1 次受限</translation>
    </message>
    <message>
        <source>pause %1</source>
        <translation>停顿 %1</translation>
    </message>
    <message>
        <source>answers: from the full text</source>
        <translation>回答：基于完整文本</translation>
    </message>
    <message>
        <source>answers: not measured</source>
        <translation>回答：未测量</translation>
    </message>
    <message>
        <source>answers: likely unchanged</source>
        <translation>回答：可能不变</translation>
    </message>
    <message>
        <source>answers: may differ</source>
        <translation>回答：可能不同</translation>
    </message>
    <message>
        <source>answers: likely changed</source>
        <translation>回答：可能已改变</translation>
    </message>
    <message>
        <source>%1 (%2 of the text&apos;s information kept, measured %3)</source>
        <translation>%1（保留文本信息的 %2，测量于 %3）</translation>
    </message>
    <message>
        <source>Process %1</source>
        <translation>进程 %1</translation>
    </message>
    <message>
        <source>Process %1 = model %2 + caches %3 + stored %4 + other %5</source>
        <translation>进程 %1 = 模型 %2 + 缓存 %3 + 已存 %4 + 其他 %5</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>Thinking for %1</source>
        <translation>已思考 %1</translation>
    </message>
    <message>
        <source>Thought for %1</source>
        <translation>思考了 %1</translation>
    </message>
    <message>
        <source>Thinking for %1, %2 tokens</source>
        <translation>已思考 %1，%2 个词元</translation>
    </message>
    <message>
        <source>Thought for %1, %2 tokens</source>
        <translation>思考了 %1，%2 个词元</translation>
    </message>
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
        <source>image not loaded: %1</source>
        <translation>图像未加载：%1</translation>
    </message>
</context>
<context>
    <name>ModelJobs</name>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Rotations</source>
        <translation>旋转</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Surrogate</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>Query centres</source>
        <translation>查询中心</translation>
    </message>
    <message>
        <source>It ended with status %1 and reported no reason.</source>
        <translation>它以状态 %1 结束，且未报告原因。</translation>
    </message>
    <message>
        <source>Finds the heads that need distant context, so that attention matching gives them more slots. Takes seconds to minutes; the window also measures them automatically.</source>
        <translation>找出需要远处上下文的头，使注意力匹配给它们更多槽位。耗时数秒至数分钟；窗口也会自动测量。</translation>
    </message>
    <message>
        <source>Makes caches with 2 and 3 bits lose less. Takes minutes.</source>
        <translation>使 2 位和 3 位的缓存损失更少。耗时数分钟。</translation>
    </message>
    <message>
        <source>Finds the layers that need extra bits (extra_bits). Takes minutes; run it after calibrating rotations, which it depends on.</source>
        <translation>找出需要额外位数的层（extra_bits）。耗时数分钟；请在校准旋转之后进行，因为它依赖旋转。</translation>
    </message>
    <message>
        <source>Makes caches stored on disk smaller. Takes minutes.</source>
        <translation>使存储在磁盘上的缓存更小。耗时数分钟。</translation>
    </message>
    <message>
        <source>Lets evictions keep what a repetition of the text would attend to, without reading it again. Takes minutes.</source>
        <translation>使驱逐保留复述文本时会关注的内容，而无需重读。耗时数分钟。</translation>
    </message>
    <message>
        <source>Lets TriAttention evictions use the model&apos;s own queries during long answers. Takes less than a minute for small models.</source>
        <translation>使 TriAttention 驱逐在长回答中使用模型自身的查询。小模型耗时不到一分钟。</translation>
    </message>
</context>
<context>
    <name>ModelView</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Key heads by layer: %1</source>
        <translation>各层 KV 头数：%1</translation>
    </message>
</context>
<context>
    <name>PartFile</name>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
    <message>
        <source>Another window or program is downloading %1.</source>
        <translation>另一个窗口或程序正在下载 %1。</translation>
    </message>
    <message>
        <source>The disk is full: %1 cannot be written. The downloaded part is kept: free some space, then resume.</source>
        <translation>磁盘已满：无法写入 %1。已下载的部分会保留：请腾出空间后继续。</translation>
    </message>
    <message>
        <source>The disk cannot store a file of this size (%1). Choose a folder on another disk.</source>
        <translation>此磁盘不支持这么大的文件（%1）。请选择其他磁盘上的文件夹。</translation>
    </message>
</context>
<context>
    <name>PredictedMemory</name>
    <message>
        <source>A prediction appears with the first text</source>
        <translation>有文本后显示预测</translation>
    </message>
    <message>
        <source>Predicted %1, %2 of the text kept</source>
        <translation>预测 %1，保留文本的 %2</translation>
    </message>
    <message>
        <source>Predicted %1, loss not measured</source>
        <translation>预测 %1，损失未测量</translation>
    </message>
</context>
<context>
    <name>Profiles</name>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Frugal</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Nothing is lost, but the cache takes the most memory: 16 bits and every token.</source>
        <translation>什么都不丢失，但缓存占用内存最多：16 位并保留所有词元。</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>The fewest bits that cost this model almost nothing in measurements, and long texts compacted up to 4x as long as answers stay the same.</source>
        <translation>测量中对此模型几乎无损的最少位数；在回答不变的前提下，长文本最多压缩 4 倍。</translation>
    </message>
    <message>
        <source>The smallest cache: keys in 8 bits, values in 4, and long texts compacted up to 8x, keeping 99 % of their information. Details can be lost.</source>
        <translation>最小的缓存：键 8 位，值 4 位；长文本最多压缩 8 倍，保留其 99 % 的信息。细节可能丢失。</translation>
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
        <source>The address is missing. Write it like http://127.0.0.1:8080.</source>
        <translation>缺少地址。请写成 http://127.0.0.1:8080 的形式。</translation>
    </message>
    <message>
        <source>This is not an address. Write it like http://127.0.0.1:8080.</source>
        <translation>这不是地址。请写成 http://127.0.0.1:8080 的形式。</translation>
    </message>
    <message>
        <source>An address starts with http:// or https://, not with %1://.</source>
        <translation>地址应以 http:// 或 https:// 开头，而不是 %1://。</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>请把密钥写入专用输入框，不要写在地址里。</translation>
    </message>
    <message>
        <source>The address must not contain “?” or “#”.</source>
        <translation>地址不得包含“?”或“#”。</translation>
    </message>
    <message>
        <source>A key contains only ASCII letters, digits and symbols, no spaces.</source>
        <translation>密钥只能包含 ASCII 字母、数字和符号，不含空格。</translation>
    </message>
</context>
<context>
    <name>RemoteProblem</name>
    <message>
        <source>%1 closed the connection without an answer.</source>
        <translation>%1 未响应即关闭了连接。</translation>
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
        <source>The engine refused the request (%1).</source>
        <translation>引擎拒绝了请求（%1）。</translation>
    </message>
    <message>
        <source>Its message: “%1”</source>
        <translation>其消息：“%1”</translation>
    </message>
    <message>
        <source>%1 refused the connection. Is the engine running at this port?</source>
        <translation>%1 拒绝了连接。引擎是否在此端口运行？</translation>
    </message>
    <message>
        <source>The host %1 was not found.</source>
        <translation>找不到主机 %1。</translation>
    </message>
    <message>
        <source>The certificate of %1 is not trusted: %2.</source>
        <translation>%1 的证书不可信：%2。</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2.</source>
        <translation>无法连接 %1：%2。</translation>
    </message>
    <message>
        <source>%1 did not answer in time.</source>
        <translation>%1 未及时响应。</translation>
    </message>
    <message>
        <source>The connection closed before the answer was complete.</source>
        <translation>连接在回答完成前关闭。</translation>
    </message>
    <message>
        <source>The engine requires a key, or a different one.</source>
        <translation>引擎需要密钥，或需要另一个密钥。</translation>
    </message>
    <message>
        <source>The engine does not allow this with this key.</source>
        <translation>引擎不允许此密钥执行该操作。</translation>
    </message>
    <message>
        <source>The engine has moved to %1. Enter that address: it is not followed automatically, because the key would be sent there.</source>
        <translation>引擎已迁至 %1。请填写该地址：程序不会自动跟随，因为密钥会发送到那里。</translation>
    </message>
    <message>
        <source>The engine sent an unexpected response: %1</source>
        <translation>引擎发来意外的响应：%1</translation>
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
        <source>Compactions</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Answers and their metrics</source>
        <translation>回答及其指标</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Settings and changes</source>
        <translation>设置与更改</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>RetentionState</name>
    <message>
        <source>evicted by compaction %1</source>
        <translation>被第 %1 次压缩驱逐</translation>
    </message>
    <message>
        <source>evicted by compaction %1 or earlier</source>
        <translation>被第 %1 次或更早的压缩驱逐</translation>
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
        <source>some heads of the other layers</source>
        <translation>其余各层的部分头</translation>
    </message>
    <message>
        <source>no head of layers %1</source>
        <translation>第 %1 层没有头</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads</source>
        <translation>在 %1 的层和头中保留</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads (%2)</source>
        <translation>由 %1 的层和头保存（%2）</translation>
    </message>
    <message>
        <source>represents %1 tokens</source>
        <translation>代表 %1 个词元</translation>
    </message>
    <message>
        <source>key %1 x the mean length</source>
        <translation>键长为均值的 %1 倍</translation>
    </message>
    <message>
        <source>in the weakest passage, with %1 of its information kept</source>
        <translation>位于最弱段落，其信息保留了 %1</translation>
    </message>
    <message>
        <source>Token %1 of %2 “%3”: %4</source>
        <translation>词元 %1 / %2 “%3”：%4</translation>
    </message>
</context>
<context>
    <name>SettingHelp</name>
    <message>
        <source>None: nothing is lost, but memory grows with every token. Evict tokens: frees memory at once, but evicted tokens are lost; attention matching: loses far less at the same size, but takes seconds of work in the background. (Eviction, arXiv 2406.11430; attention matching, arXiv 2602.16284.)</source>
        <translation>无：不丢失任何内容，但内存随每个词元增长。驱逐词元：立即释放内存，但被驱逐的词元会丢失；注意力匹配：同样大小下损失少得多，但需要数秒后台计算。（驱逐：arXiv 2406.11430；注意力匹配：arXiv 2602.16284。）</translation>
    </message>
    <message>
        <source>Slots each head keeps after a compaction, however long the text: fewer save memory, more lose less. At least sinks + keep recent + 1, at most the context; between two compactions the cache may pass it by the margin.</source>
        <translation>无论文本多长，压缩后每个头保留的槽位数：越少越省内存，越多损失越少。至少为汇聚 + 最近 + 1，至多为上下文长度；两次压缩之间缓存可超出不多于余量。</translation>
    </message>
    <message>
        <source>The newest tokens, which no compaction touches. More: recent text stays exact; less: more room for older text.</source>
        <translation>最新的词元，任何压缩都不会触及。越多：近期文本保持精确；越少：为较旧的文本留出更多空间。</translation>
    </message>
    <message>
        <source>Conversations with fewer tokens are not compacted; 0 compacts any conversation. More: short conversations lose nothing; less: memory is saved earlier.</source>
        <translation>词元更少的对话不会被压缩；0 表示压缩任何对话。越大：短对话没有损失；越小：更早节省内存。</translation>
    </message>
    <message>
        <source>The most that a compaction may lose, measured before it is carried out; a ratio that loses more is lowered, and the lower one is shown. strict: loses almost nothing but saves less memory; off: the chosen ratio is used whatever it loses.</source>
        <translation>压缩允许的最大损失，在执行之前测量；损失过大的压缩比会被降低并显示。strict：几乎没有损失，但节省的内存更少；off：无论损失多少都采用所选压缩比。</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches: without them answers degrade, but more than a few only cost memory. Coded caches keep them in 16 bits. (Attention sinks, arXiv 2309.17453.)</source>
        <translation>最前面的词元，任何压缩都不会触及：没有它们回答会变差，但超过几个只会占用内存。编码缓存以 16 位保留它们。（注意力汇聚，arXiv 2309.17453。）</translation>
    </message>
    <message>
        <source>How far the cache may exceed its target before it is compacted. More: fewer pauses; less: memory stays closer to the target; off: an eighth of the target, between 16 and 256.</source>
        <translation>压缩前缓存可超出目标的程度。越大：停顿越少；越小：内存越接近目标；off：目标的八分之一，介于 16 与 256 之间。</translation>
    </message>
    <message>
        <source>How attention matching divides its slots among heads. Measured heads: those that retrieve distant text keep more, so facts survive, but each model is measured once while idle; equal for all heads: needs no measuring but loses more.</source>
        <translation>注意力匹配如何在各头之间分配槽位。按测量：能取回远处文本的头保留更多，事实得以保留，但每个模型需在空闲时测量一次；各头相等：无需测量，但损失更多。</translation>
    </message>
    <message>
        <source>How the attention of a repetition of the text is determined. By repetition: exact, but reads the text up to three times; by surrogate: nothing waits, slightly less exact, and needs one fit per model.</source>
        <translation>如何确定复述文本时的注意力。通过重复：精确，但最多读取文本三次；通过代理：无需等待，精度略低，每个模型需拟合一次。</translation>
    </message>
    <message>
        <source>On: punctuation and blanks count as a fifth when an eviction chooses by attention, which leaves more slots for words. Off: they count like other tokens.</source>
        <translation>开：驱逐按注意力选择时，标点和空白按五分之一计，为词语留出更多槽位。关：与其他词元同等计算。</translation>
    </message>
    <message>
        <source>Fewer bits: a fraction of the memory, every token stays, and long conversations answer faster, but too few ruin some models without warning, so measure first (Tools menu, Cache formats of this model). t8 to t1 are rotated codes of 8 to 1 bits, q8_0 and q4_0 codes in groups, f16 is 16 bits; rounded-away bits cannot be restored. (Rotated codes, arXiv 2504.19874.)</source>
        <translation>位数越少：只占一小部分内存，所有词元都保留，长对话回答更快，但过少会悄然损坏某些模型，请先测量（工具菜单，此模型的缓存格式）。t8 至 t1 是 8 至 1 位的旋转编码，q8_0 和 q4_0 是分组编码，f16 为 16 位；舍去的部分无法恢复。（旋转编码：arXiv 2504.19874。）</translation>
    </message>
    <message>
        <source>Bits of the values, if they differ from those of the keys. Values tolerate fewer bits than keys: 8 for keys and 4 for values costs most models almost nothing.</source>
        <translation>值的位数，与键不同时在此设置。值比键更能承受少位数：键 8 位、值 4 位对大多数模型几乎没有损失。</translation>
    </message>
    <message>
        <source>Number of newest tokens that are also kept in 16 bits. More: recent text is read exactly; less: saves their memory; 0 keeps codes only. (KIVI, arXiv 2402.02750, keeps 128.)</source>
        <translation>另以 16 位保留的最新词元数。越多：近期文本读取精确；越少：节省其内存；0 表示仅保留编码。（KIVI：arXiv 2402.02750，保留 128。）</translation>
    </message>
    <message>
        <source>Rotation of the numbers before they are coded. Calibrated: loses less at few bits, after minutes of measuring once per model; Hadamard: needs no measuring. (arXiv 2605.17757.)</source>
        <translation>编码之前对数值的旋转。校准：位数少时损失更少，每个模型需测量一次，耗时数分钟；Hadamard：无需测量。（arXiv 2605.17757。）</translation>
    </message>
    <message>
        <source>Additional bits per number, on average, for the layers where they help most: much of the gain of a full bit for part of its memory. Needs minutes of measuring once per model.</source>
        <translation>每个数平均增加的位数，用于最有益的层：以部分内存获得增加一整位的大部分收益。每个模型需测量一次，耗时数分钟。</translation>
    </message>
    <message>
        <source>A higher ratio: less memory and faster answers in long conversations; a lower one: more is kept exactly. Up to about 4, most texts lose little. (arXiv 2602.16284.)</source>
        <translation>压缩比越高：内存越少，长对话中的回答越快；越低：更多内容被精确保留。约 4 以内，多数文本损失很小。（arXiv 2602.16284。）</translation>
    </message>
    <message>
        <source>At the budget: memory stays close to it, but what the next question needs may be evicted. One turn late: the newest queries judge the text before them, so more of what is asked next is kept, but the cache may exceed the budget by one turn. (Delayed compaction, arXiv 2608.00902.)</source>
        <translation>达到预算时：内存接近预算，但下一个问题所需的内容可能已被驱逐。延后一轮：由最新的查询评判之前的文本，更多接下来要问的内容得以保留，但缓存可能超出预算一轮。（延迟压缩，arXiv 2608.00902。）</translation>
    </message>
    <message>
        <source>Which tokens an eviction keeps: by attention, more of what is asked later is kept, but scoring takes time; by keys alone (norms, KeyDiff) costs nothing, but facts are lost sooner. Distance and query centres suit long answers; newest only and random are for comparison. (Key norms, arXiv 2406.11430; KeyDiff, 2504.15364; SnapKV, 2404.14469; H2O, 2306.14048; KVzip, 2505.23416; Expected Attention, 2510.00636; TriAttention, 2604.04921.)</source>
        <translation>驱逐保留哪些词元：按注意力能保留更多之后要问的内容，但评分需要时间；仅按键（范数、KeyDiff）没有代价，但更早丢失事实。距离与查询中心适合长回答；仅最新和随机用于对照。（键范数：arXiv 2406.11430；KeyDiff：2504.15364；SnapKV：2404.14469；H2O：2306.14048；KVzip：2505.23416；Expected Attention：2510.00636；TriAttention：2604.04921。）</translation>
    </message>
    <message>
        <source>Each head alone: each keeps what it needs, so more is kept. Together: all heads hold the same tokens, so it is clear what was evicted.</source>
        <translation>各头独立：每个头保留所需内容，因此保留更多。一起：所有头持有相同的词元，因此清楚哪些被驱逐。</translation>
    </message>
    <message>
        <source>How an eviction divides its slots among heads. By score: heads that attend far back keep more, so less is lost; equal for all heads: simple, and no head exceeds the budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)</source>
        <translation>驱逐如何在各头之间分配槽位。按得分：关注远处的头保留更多，因此损失更少；各头相等：简单，没有头超出预算。（Ada-KV：arXiv 2407.11550；KVzip：arXiv 2505.23416。）</translation>
    </message>
    <message>
        <source>Memory never grows: every layer keeps only the first and the newest tokens, this many in all, and everything in between is dropped permanently. Not together with a method or a budget. (arXiv 2309.17453.)</source>
        <translation>内存不再增长：每层只保留最前面和最新的词元，总数如此，其间的内容永久丢弃。不能与方法或预算同用。（arXiv 2309.17453。）</translation>
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
        <source>This ratio is converted to a budget in slots, which needs the length of the conversation, known only after its next answer.</source>
        <translation>此压缩比会换算为槽位预算，这需要对话长度，而对话长度要到下一个回答之后才知道。</translation>
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
        <source>Paused while an answer is written.</source>
        <translation>生成回答期间暂停。</translation>
    </message>
    <message>
        <source>Paused while another measurement runs.</source>
        <translation>另一测量进行期间暂停。</translation>
    </message>
    <message>
        <source>The engine stopped: %1 Restart Lacuna.</source>
        <translation>引擎已停止：%1 请重新启动 Lacuna。</translation>
    </message>
    <message>
        <source>Precision from the next answer on: %1</source>
        <translation>从下一个回答起的精度：%1</translation>
    </message>
    <message>
        <source>%1 cannot be the draft model for %2: %3</source>
        <translation>%1 不能作为 %2 的草稿模型：%3</translation>
    </message>
    <message>
        <source>%1 Wait until it ends or stop it.</source>
        <translation>%1 请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>An answer is being written. Wait until it ends or stop it.</source>
        <translation>正在生成回答。请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>A model is being loaded. Wait until it is loaded or stop it.</source>
        <translation>正在加载模型。请等待加载完成或停止它。</translation>
    </message>
    <message>
        <source>A measurement is running. Wait until it ends or stop it.</source>
        <translation>正在测量。请等待其结束或停止它。</translation>
    </message>
    <message>
        <source>Conversations are saved to disk again.</source>
        <translation>对话已重新保存到磁盘。</translation>
    </message>
    <message>
        <source>The cache settings of “%1” were discarded: %2</source>
        <translation>已放弃“%1”的缓存设置：%2</translation>
    </message>
    <message>
        <source>A message from the engine could not be processed: %1</source>
        <translation>无法处理引擎的一条消息：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::CalibrationController</name>
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
        <source>Rotated codes use rotations calibrated on this model.</source>
        <translation>旋转编码使用为此模型校准的旋转。</translation>
    </message>
    <message>
        <source>Rotated codes use random rotations, because the calibrated ones stored with the model cannot be used: %1.</source>
        <translation>旋转编码使用随机旋转，因为与模型一起保存的校准旋转无法使用：%1。</translation>
    </message>
    <message>
        <source>Rotated codes use random rotations; calibrated ones lose less with 2 and 3 bits.</source>
        <translation>旋转编码使用随机旋转；在 2 位和 3 位时，校准的旋转损失更小。</translation>
    </message>
    <message>
        <source>Generating the text</source>
        <translation>正在生成文本</translation>
    </message>
    <message>
        <source>The text that ships with the program was not found.</source>
        <translation>未找到随程序提供的文本。</translation>
    </message>
    <message>
        <source>Calibrated in %1 and saved as %2. It takes effect when the model is loaded again.</source>
        <translation>校准完成，用时 %1，已保存为 %2。重新加载模型后生效。</translation>
    </message>
    <message>
        <source>Stopped; nothing was saved.</source>
        <translation>已停止；未保存任何结果。</translation>
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
        <source>Sent again with revision %1.</source>
        <translation>已随修订 %1 重新发送。</translation>
    </message>
    <message>
        <source>Not applied: %1</source>
        <translation>未应用：%1</translation>
    </message>
    <message>
        <source>no effect while %1</source>
        <translation>不起作用：%1</translation>
    </message>
    <message>
        <source>The change was rolled back.</source>
        <translation>更改已回滚。</translation>
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
    <message>
        <source>Takes effect when a conversation&apos;s cache is rebuilt.</source>
        <translation>对话缓存重建时生效。</translation>
    </message>
    <message>
        <source>changing it sets %1</source>
        <translation>更改即设为%1</translation>
    </message>
    <message>
        <source> A budget of %1 keeps half of the %2 slots that a head holds now.</source>
        <translation>预算为 %1 时保留每个头现有 %2 个槽位的一半。</translation>
    </message>
    <message>
        <source>Some changes take effect with the next answer.</source>
        <translation>部分更改从下一个回答起生效。</translation>
    </message>
    <message>
        <source>The engine could not apply this change; %1 is still in effect.</source>
        <translation>引擎无法应用此更改；%1 仍然有效。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConnectionList</name>
    <message>
        <source>Lacuna: key of %1</source>
        <translation>Lacuna：%1 的密钥</translation>
    </message>
    <message>
        <source>The list of engines could not be read: %1</source>
        <translation>无法读取引擎列表：%1</translation>
    </message>
    <message>
        <source>The list of engines could not be saved: %1</source>
        <translation>无法保存引擎列表：%1</translation>
    </message>
    <message>
        <source>No keyring is available now.</source>
        <translation>现在没有可用的钥匙环。</translation>
    </message>
    <message>
        <source>The key is no longer in the keyring.</source>
        <translation>钥匙环中已没有该密钥。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationCache</name>
    <message>
        <source>The cache of this conversation was loaded from %1, %2 tokens. The next question reuses it as far as the text matches.</source>
        <translation>此对话的缓存已从 %1 加载，共 %2 个词元。下一个问题在文本一致的范围内沿用它。</translation>
    </message>
    <message>
        <source>The cache of this conversation was saved to %1, %2 tokens.</source>
        <translation>此对话的缓存已保存到 %1，共 %2 个词元。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationList</name>
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
        <source>%1 (continued)</source>
        <translation>%1（续）</translation>
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
    <message>
        <source>
Last answer used %1.</source>
        <translation>
上次回答所用设置：%1。</translation>
    </message>
    <message>
        <source>
It has its own cache settings.</source>
        <translation>
它有自己的缓存设置。</translation>
    </message>
    <message>
        <source>
It is private: nothing is stored.</source>
        <translation>
这是私密对话：不存储任何内容。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationStorage</name>
    <message>
        <source>Stored conversations cannot be read: %1</source>
        <translation>无法读取存储的对话：%1</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（副本）</translation>
    </message>
    <message>
        <source>%1 It was not deleted.</source>
        <translation>%1 未删除。</translation>
    </message>
    <message>
        <source>A stored conversation cannot be read: %1</source>
        <translation>无法读取一个存储的对话：%1</translation>
    </message>
    <message>
        <source>Conversations cannot be searched: %1</source>
        <translation>无法搜索对话：%1</translation>
    </message>
    <message>
        <source>The search index did not match the stored conversations and was rebuilt.</source>
        <translation>搜索索引与已保存的对话不一致，已重新建立。</translation>
    </message>
    <message>
        <source>Conversations cannot be saved: %1</source>
        <translation>无法保存对话：%1</translation>
    </message>
    <message>
        <source>“%1” was also changed by another instance of Lacuna. Your version is saved as “%2”.</source>
        <translation>“%1”也被另一个 Lacuna 实例更改。您的版本保存为“%2”。</translation>
    </message>
    <message>
        <source>“%1” was deleted by another instance of Lacuna.</source>
        <translation>“%1”已被另一个 Lacuna 实例删除。</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) of this conversation were damaged on disk and are marked.</source>
        <translation>
            <numerusform>此对话有 %n 条消息在磁盘上已损坏，并已标注。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationTurns</name>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
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
        <source>There is no question yet.</source>
        <translation>还没有问题。</translation>
    </message>
    <message>
        <source>Not sent: the model was not loaded.</source>
        <translation>未发送：模型未加载。</translation>
    </message>
    <message>
        <source>Sent once the model is loaded.</source>
        <translation>模型加载后发送。</translation>
    </message>
    <message>
        <source>The system prompt is edited in its own window.</source>
        <translation>系统提示词在单独的窗口中编辑。</translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation>回答已完成。</translation>
    </message>
    <message>
        <source>The answer is still empty. Regenerate it instead.</source>
        <translation>回答仍为空。请改为重新生成。</translation>
    </message>
    <message>
        <source>Edited by you. Continue adds to its end.</source>
        <translation>由您编辑。“继续”会从结尾处接着写。</translation>
    </message>
    <message>
        <source>Answers of this model cannot be continued. Regenerate it instead.</source>
        <translation>此模型的回答无法继续。请改为重新生成。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::Download</name>
    <message>
        <source>The folder %1 cannot be created.</source>
        <translation>无法创建文件夹 %1。</translation>
    </message>
    <message>
        <source>%1 already exists and is not overwritten: remove it, or choose another folder.</source>
        <translation>%1 已经存在，不会被覆盖：请将其移走，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>The partial download cannot be resumed safely because the server sent no ETag: it starts over.</source>
        <translation>此下载无法安全续传，因为服务器没有发送 ETag：将从头开始。</translation>
    </message>
    <message>
        <source>The partial file has become shorter.</source>
        <translation>部分文件变短了。</translation>
    </message>
    <message>
        <source>%1 repeatedly sends responses that do not match the request.</source>
        <translation>%1 多次发来与请求不符的应答。</translation>
    </message>
    <message>
        <source>The file on the server has changed; the download starts over.</source>
        <translation>服务器上的文件已改变；下载将从头开始。</translation>
    </message>
    <message>
        <source>The server cannot resume the download; it starts over.</source>
        <translation>服务器不支持续传；下载将从头开始。</translation>
    </message>
    <message>
        <source>%1 sent a web page instead of %2. Does this network require a login first?</source>
        <translation>%1 发来的是网页而不是 %2。此网络是否要求先登录？</translation>
    </message>
    <message>
        <source>%1 does not report the length of %2, so the download could not be checked for completeness.</source>
        <translation>%1 没有报告 %2 的长度，因此无法检查下载是否完整。</translation>
    </message>
    <message>
        <source>%1 reports %2 bytes, but %3 were announced.</source>
        <translation>%1 报告有 %2 字节，但声明的是 %3。</translation>
    </message>
    <message>
        <source>%1 sends more than the %2 bytes announced for %3.</source>
        <translation>%1 发送的内容超过为 %3 声明的 %2 字节。</translation>
    </message>
    <message>
        <source>%1 is not a model: %2.</source>
        <translation>%1 不是模型：%2。</translation>
    </message>
    <message>
        <source>%1 ended the transfer of %2 at %3 of %4 bytes. The downloaded part is kept.</source>
        <translation>%1 在 %3 / %4 字节处结束了 %2 的传输。已下载的部分会保留。</translation>
    </message>
    <message>
        <source>%1 Retrying.</source>
        <translation>%1 正在重试。</translation>
    </message>
    <message>
        <source>%1 has the right length but the wrong content: its SHA-256 is %2 instead of %3. It was moved to %4; resume to download it again.</source>
        <translation>%1 长度正确但内容有误：其 SHA-256 为 %2 而不是 %3。已移动到 %4；继续即可重新下载。</translation>
    </message>
    <message>
        <source>%1 is not a model: %2. The file was set aside.</source>
        <translation>%1 不是模型：%2。该文件已另存。</translation>
    </message>
    <message>
        <source>%1 already exists. The model is in %2.</source>
        <translation>%1 已经存在。模型位于 %2。</translation>
    </message>
    <message>
        <source>Complete. No digest of the full file was available, so its content was not verified.</source>
        <translation>已完成。没有完整文件的摘要，因此未校验其内容。</translation>
    </message>
    <message>
        <source>Complete, and its SHA-256 is correct.</source>
        <translation>已完成，SHA-256 正确。</translation>
    </message>
    <message>
        <source>%1 more are needed, but the disk of %2 has only %3 free. The downloaded part is kept: free some space, then resume.</source>
        <translation>还需要 %1，但 %2 所在磁盘只有 %3 可用。已下载的部分会保留：请先腾出空间，再继续。</translation>
    </message>
    <message>
        <source>The server sent a different part than requested; the download starts over.</source>
        <translation>服务器发送了与请求不同的部分；下载重新开始。</translation>
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
        <source>A SHA-256 digest has 64 digits, 0-9 and a-f.</source>
        <translation>SHA-256 摘要由 64 个 0-9 和 a-f 的字符组成。</translation>
    </message>
    <message>
        <source>A digest applies to one file, but this model has several.</source>
        <translation>摘要只针对一个文件，而此模型有多个文件。</translation>
    </message>
    <message>
        <source>%1 is already on the list, from another source. Remove that entry first.</source>
        <translation>%1 已在列表中，但来源不同。请先移除那一项。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubFetch</name>
    <message>
        <source>The certificate of %1 is not trusted: %2. Is the clock of this machine right?</source>
        <translation>%1 的证书不可信：%2。本机的时钟是否正确？</translation>
    </message>
    <message>
        <source>%1 was not found. Is this machine connected to the network?</source>
        <translation>找不到 %1。本机是否已连接网络？</translation>
    </message>
    <message>
        <source>%1 refused the connection.</source>
        <translation>%1 拒绝了连接。</translation>
    </message>
    <message>
        <source>%1 stopped responding.</source>
        <translation>%1 不再响应。</translation>
    </message>
    <message>
        <source>%1 closed the connection.</source>
        <translation>%1 关闭了连接。</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2.</source>
        <translation>无法连接 %1：%2。</translation>
    </message>
    <message>
        <source>Qt finds no TLS library (OpenSSL) on this system; without encryption nothing is downloaded.</source>
        <translation>Qt 在此系统上找不到 TLS 库（OpenSSL）；没有加密就不会下载任何内容。</translation>
    </message>
    <message>
        <source>%1 redirects without an address.</source>
        <translation>%1 重定向时没有给出地址。</translation>
    </message>
    <message>
        <source>%1 redirects more than %2 times.</source>
        <translation>%1 重定向超过 %2 次。</translation>
    </message>
    <message>
        <source>%1 restricts access to this model (%2). Accept its terms there with your account, and enter the token of the account here.</source>
        <translation>%1 限制对此模型的访问（%2）。请用您的账户在那里接受条款，并在此填入账户的令牌。</translation>
    </message>
    <message>
        <source>%1 has nothing with this name (%2).</source>
        <translation>%1 没有此名称的内容（%2）。</translation>
    </message>
    <message>
        <source>%1 received too many requests. Resume in %2 s.</source>
        <translation>对 %1 的请求过多。请在 %2 秒后继续。</translation>
    </message>
    <message>
        <source>%1 received too many requests. Resume later.</source>
        <translation>对 %1 的请求过多。请稍后继续。</translation>
    </message>
    <message>
        <source>%1 responded with status %2.</source>
        <translation>%1 应答状态为 %2。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubLister</name>
    <message>
        <source>The list of files is larger than %1 and is not read.</source>
        <translation>文件列表大于 %1，不予读取。</translation>
    </message>
    <message>
        <source>The list of files is too long.</source>
        <translation>文件列表太长。</translation>
    </message>
    <message>
        <source>The list of files continues on another host (%1), which is not followed.</source>
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
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>%1 has an invalid setting: %2</source>
        <translation>%1 有一项无效的设置：%2</translation>
    </message>
    <message>
        <source>There is no question yet. Write one here or ask one in the conversation.</source>
        <translation>还没有问题。请在此写一个，或在对话中提出一个。</translation>
    </message>
    <message>
        <source>Attention matching, current head budgets</source>
        <translation>注意力匹配，当前各头预算</translation>
    </message>
    <message>
        <source>Attention matching, equal heads</source>
        <translation>注意力匹配，各头相同</translation>
    </message>
    <message>
        <source>Evict the most similar keys</source>
        <translation>驱逐最相似的键</translation>
    </message>
    <message>
        <source>Keep keys with low norms</source>
        <translation>保留范数低的键</translation>
    </message>
    <message>
        <source>Keep keys with high norms</source>
        <translation>保留范数高的键</translation>
    </message>
    <message>
        <source>Keep only the newest</source>
        <translation>仅保留最新的</translation>
    </message>
    <message>
        <source>Keep random tokens (baseline)</source>
        <translation>保留随机词元（基准）</translation>
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
        <source>too few tokens in common</source>
        <translation>共同词元太少</translation>
    </message>
    <message>
        <source>reading it is predicted to be slower than computing</source>
        <translation>预计读取比计算更慢</translation>
    </message>
    <message>
        <source>reading %1, computing %2</source>
        <translation>读取 %1，计算 %2</translation>
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
        <source>from its own cache</source>
        <translation>来自自身缓存</translation>
    </message>
    <message>
        <source>the start of a longer text</source>
        <translation>较长文本的开头</translation>
    </message>
    <message>
        <source>a text that continues differently</source>
        <translation>后续不同的文本</translation>
    </message>
    <message>
        <source>a shorter text that is its prefix</source>
        <translation>作为其前缀的较短文本</translation>
    </message>
    <message>
        <source>no stored text shares a prefix</source>
        <translation>没有存储的文本共享前缀</translation>
    </message>
    <message>
        <source>it is damaged or missing, or there was not enough memory</source>
        <translation>已损坏或丢失，或内存不足</translation>
    </message>
    <message>
        <source>reading or computing has not been timed yet</source>
        <translation>读取或计算尚未计时</translation>
    </message>
    <message>
        <source>Last decision: %1; predicted: %2.</source>
        <translation>最近决定：%1；预测：%2。</translation>
    </message>
    <message>
        <source>%1 waiting to be written.</source>
        <translation>%1 等待写入。</translation>
    </message>
    <message>
        <source>%1 damaged pages were quarantined.</source>
        <translation>%1 个损坏的页已隔离。</translation>
    </message>
    <message>
        <source>from a prefix entry: %1</source>
        <translation>来自前缀条目：%1</translation>
    </message>
    <message>
        <source>the conversation&apos;s own cache covers as many tokens</source>
        <translation>对话自身的缓存覆盖同样多的 token</translation>
    </message>
    <message>
        <source>the stored cache cannot be rolled back that far</source>
        <translation>存储的缓存无法回退到那么远</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelController</name>
    <message>
        <source>The model is being loaded.</source>
        <translation>正在加载模型。</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>请先加载模型。</translation>
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
        <source>The bundled model was not found in %1. Load another one.</source>
        <translation>在 %1 中未找到自带模型。请加载其他模型。</translation>
    </message>
    <message>
        <source>%1 The previous model stays loaded.</source>
        <translation>%1 之前的模型保持加载。</translation>
    </message>
    <message>
        <source>Its surrogate, which predicts which tokens are needed, was fitted in %1 s.</source>
        <translation>其代理（预测需要哪些词元）已用 %1 s 拟合。</translation>
    </message>
    <message>
        <source>It has a surrogate, which predicts which tokens are needed.</source>
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
        <source>Written to %1, %2.</source>
        <translation>已写入 %1，%2。</translation>
    </message>
    <message>
        <source>Done. It takes effect when the model is loaded again.</source>
        <translation>完成。重新加载模型后生效。</translation>
    </message>
    <message>
        <source>Stopped; nothing was saved.</source>
        <translation>已停止；未保存任何结果。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelLibrary</name>
    <message>
        <source>%1 layers x %2</source>
        <translation>%1 层 x %2</translation>
    </message>
    <message>
        <source>%1 cannot be deleted.</source>
        <translation>无法删除 %1。</translation>
    </message>
    <message>
        <source>It no longer exists.</source>
        <translation>它已不存在。</translation>
    </message>
    <message>
        <source>%1 is not in the download folder and cannot be deleted here.</source>
        <translation>%1 不在下载文件夹中，无法在此删除。</translation>
    </message>
    <message>
        <source>%1 was not loaded, because the program ended while loading it last time. Load it from the Models page.</source>
        <translation>未加载 %1，因为上次加载它时程序结束了。请在“模型”页面加载它。</translation>
    </message>
    <message>
        <source>%1 was not loaded because it no longer exists. The bundled model is used instead.</source>
        <translation>未加载 %1，因为它已不存在。改用自带模型。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ProfileController</name>
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
        <source>Not measured on this model.</source>
        <translation>未在此模型上测量。</translation>
    </message>
    <message>
        <source>A profile needs a name.</source>
        <translation>配置方案需要名称。</translation>
    </message>
    <message>
        <source>There is no profile %1.</source>
        <translation>没有方案 %1。</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1 bits per number</source>
        <translation>每个数 %1 位</translation>
    </message>
    <message>
        <source>otherwise not measured on this model</source>
        <translation>其余未在此模型上测量</translation>
    </message>
    <message>
        <source>Load a model first, because the settings depend on it.</source>
        <translation>请先加载模型，因为设置取决于模型。</translation>
    </message>
    <message>
        <source>Your own profile.</source>
        <translation>您自己的方案。</translation>
    </message>
    <message>
        <source>Your own profile, saved with %1.</source>
        <translation>您自己的方案，使用 %1 时保存。</translation>
    </message>
    <message>
        <source>A name has at most %1 characters.</source>
        <translation>名称最多 %1 个字符。</translation>
    </message>
    <message>
        <source>%1 is a built-in profile; choose another name.</source>
        <translation>%1 是内置方案；请换一个名称。</translation>
    </message>
    <message>
        <source>A profile %1 already exists.</source>
        <translation>已有方案 %1。</translation>
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
        <source>none</source>
        <translation>无</translation>
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
        <source>The stored small quality table of this model cannot be used: %1.</source>
        <translation>无法使用为此模型保存的小型质量表：%1。</translation>
    </message>
    <message>
        <source>The stored full quality table of this model cannot be used: %1.</source>
        <translation>无法使用为此模型保存的完整质量表：%1。</translation>
    </message>
    <message>
        <source>The stored table of cache formats of this model cannot be used: %1.</source>
        <translation>无法使用为此模型保存的缓存格式表：%1。</translation>
    </message>
    <message>
        <source>No loss: this is the 16-bit reference.</source>
        <translation>无损失：这是 16 位基准。</translation>
    </message>
    <message>
        <source>Loss not measured, and too few other formats are measured to predict it. Squared error of the codes: keys %1, values %2.</source>
        <translation>损失未测量，且已测的其他格式太少，无法预测。编码的平方误差：键 %1，值 %2。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RecordingController</name>
    <message>
        <source>Replayed: diverged at token %1 of answer %2.</source>
        <translation>已重放：在第 %2 个回答的第 %1 个词元处出现分歧。</translation>
    </message>
    <message>
        <source>%1 cannot be opened: %2</source>
        <translation>无法打开 %1：%2</translation>
    </message>
    <message>
        <source>The replay was stopped.</source>
        <translation>重放已停止。</translation>
    </message>
    <message>
        <source>Replayed: identical, %1 answers with %2 tokens.</source>
        <translation>已重放：完全一致，%1 个回答共 %2 个词元。</translation>
    </message>
    <message>
        <source>Recorded: “%1”, replayed: “%2”.</source>
        <translation>记录为“%1”，重放为“%2”。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteAttachment</name>
    <message>
        <source>Disconnected from %1</source>
        <translation>已与 %1 断开</translation>
    </message>
    <message>
        <source>%1 answered (%2)</source>
        <translation>%1 已回答（%2）</translation>
    </message>
    <message>
        <source>Answers now come from %1. Disconnect to use the local engine.</source>
        <translation>现在由 %1 回答。断开连接后才能使用本地引擎。</translation>
    </message>
    <message>
        <source>Answers now come from %1 at %2</source>
        <translation>现在由 %1 回答，地址 %2</translation>
    </message>
    <message>
        <source>Question sent to %1</source>
        <translation>已向 %1 发送问题</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteChat</name>
    <message>
        <source>The answer has more than %1 of text and was ended here.</source>
        <translation>回答的文本超过 %1，在此结束。</translation>
    </message>
    <message>
        <source>it is larger than %1.</source>
        <translation>它大于 %1。</translation>
    </message>
    <message>
        <source>an event is larger than %1.</source>
        <translation>一个事件大于 %1。</translation>
    </message>
    <message>
        <source>it contains no text in more than %1.</source>
        <translation>超过 %1 的内容中没有文本。</translation>
    </message>
    <message>
        <source>The engine cancelled the answer: “%1”</source>
        <translation>引擎取消了回答：“%1”</translation>
    </message>
    <message>
        <source>The stream ended before the answer was complete.</source>
        <translation>数据流在回答完成前结束。</translation>
    </message>
    <message>
        <source>The engine reports that the answer failed.</source>
        <translation>引擎报告回答失败。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteClient</name>
    <message>
        <source>it is larger than %1.</source>
        <translation>它大于 %1。</translation>
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
        <source>The key is sent over the network unencrypted (http).</source>
        <translation>密钥以未加密方式通过网络发送（http）。</translation>
    </message>
    <message>
        <source>It offers no metrics, so the charts stay empty.</source>
        <translation>它不提供指标，因此图表为空。</translation>
    </message>
    <message>
        <source>Its metrics cannot be read, so the charts stay empty.</source>
        <translation>无法读取其指标，因此图表为空。</translation>
    </message>
    <message>
        <source>None of its metrics are known here.</source>
        <translation>其指标都不是此处已知的。</translation>
    </message>
    <message>
        <source>Its metrics are those of %1: %2 values.</source>
        <translation>其指标属于 %1：共 %2 项。</translation>
    </message>
    <message>
        <source>Answers now come from %1.</source>
        <translation>现在由 %1 回答。</translation>
    </message>
    <message>
        <source>This engine is not in the list.</source>
        <translation>此引擎不在列表中。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteExchange</name>
    <message>
        <source>The answer was not complete after %1 s.</source>
        <translation>%1 秒后回答仍不完整。</translation>
    </message>
    <message>
        <source>it is not HTTP/1.1.</source>
        <translation>它不是 HTTP/1.1。</translation>
    </message>
    <message>
        <source>Nothing arrived for %1 s before the answer was complete.</source>
        <translation>回答结束前 %1 秒没有收到任何内容。</translation>
    </message>
    <message>
        <source>its header is larger than %1.</source>
        <translation>其应答头大于 %1。</translation>
    </message>
    <message>
        <source>it is compressed, which was not requested.</source>
        <translation>它经过压缩，而未作此请求。</translation>
    </message>
    <message>
        <source>it has two content lengths.</source>
        <translation>它有两个内容长度。</translation>
    </message>
    <message>
        <source>its content length is invalid.</source>
        <translation>其内容长度无效。</translation>
    </message>
    <message>
        <source>the lengths of its chunks are invalid.</source>
        <translation>其各分块的长度无效。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteMonitor</name>
    <message>
        <source>It offers no metrics: %1</source>
        <translation>它不提供指标：%1</translation>
    </message>
    <message>
        <source>Its metrics cannot be read: %1</source>
        <translation>无法读取其指标：%1</translation>
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
        <source>The keyring was not unlocked.</source>
        <translation>钥匙环未解锁。</translation>
    </message>
    <message>
        <source>The keyring has no collection yet.</source>
        <translation>钥匙环中还没有集合。</translation>
    </message>
    <message>
        <source>The keyring reports: %1.</source>
        <translation>钥匙环报告：%1。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ServerController</name>
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
    <message>
        <source>This program was built without the server.</source>
        <translation>此程序构建时未包含服务器。</translation>
    </message>
    <message>
        <source>The settings of the server were not saved: %1</source>
        <translation>未能保存服务器设置：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::SessionFeed</name>
    <message>
        <source>budget</source>
        <translation>预算</translation>
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
        <source>Settings %1 not applied: %2</source>
        <translation>设置 %1 未应用：%2</translation>
    </message>
    <message>
        <source>The cache stays in %1: %2.</source>
        <translation>缓存仍为 %1：%2。</translation>
    </message>
    <message>
        <source>%1 done in %2: %3 to %4 slots in all heads</source>
        <translation>%1 用时 %2 完成：所有头共 %3 减至 %4 个槽位</translation>
    </message>
    <message>
        <source>%1 cancelled: %2</source>
        <translation>%1已取消：%2</translation>
    </message>
    <message>
        <source>%1 of the text&apos;s information kept; weakest passage %2.</source>
        <translation>保留了文本信息的 %1；最弱段落 %2。</translation>
    </message>
    <message>
        <source>Pause %1, work %2.</source>
        <translation>停顿 %1，工作 %2。</translation>
    </message>
    <message>
        <source>This report has no token times; answers are shown in proportion to their tokens.</source>
        <translation>此报告没有记录词元的时间；回答按词元比例显示。</translation>
    </message>
    <message>
        <source>It has no cache contents; words are not tinted.</source>
        <translation>它没有记录缓存内容；词语不着色。</translation>
    </message>
    <message>
        <source>manual</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>%1 limited: %2x requested, %3x achieved</source>
        <translation>%1 已限制：要求 %2x，达到 %3x</translation>
    </message>
    <message>
        <source>%1 done in the background in %2, pause %3: %4 to %5 slots in all heads</source>
        <translation>%1 在后台用时 %2 完成，停顿 %3：所有头共 %4 减至 %5 个槽位</translation>
    </message>
    <message>
        <source>Until it ends, the cache holds %1 in %2 slots of all heads; the result will appear under the same number.</source>
        <translation>结束之前缓存以所有头共 %2 个槽位保存 %1；结果将以同一编号显示。</translation>
    </message>
    <message>
        <source>Reading for queries %1.</source>
        <translation>为查询而读取 %1。</translation>
    </message>
    <message>
        <source>Requested %1x, achieved %2x.</source>
        <translation>要求 %1x，实际 %2x。</translation>
    </message>
    <message>
        <source>KL mean %1, p99 %2 nats; same most likely token at %3 of positions.</source>
        <translation>KL 平均 %1，p99 %2 nat；%3 的位置上最可能的词元相同。</translation>
    </message>
    <message>
        <source>Compression off: no method is chosen. Changing the AM ratio or the budget turns it on.</source>
        <translation>压缩已关闭：未选择方法。更改 AM 压缩比或预算即可开启。</translation>
    </message>
    <message>
        <source>one conversation now has its own cache settings</source>
        <translation>一个对话有了自己的缓存设置</translation>
    </message>
    <message>
        <source>one conversation uses the shared cache settings again</source>
        <translation>一个对话恢复了公共缓存设置</translation>
    </message>
    <message>
        <source>It starts from the prefix cache.</source>
        <translation>从前缀缓存开始。</translation>
    </message>
    <message>
        <source>A queued question was cancelled</source>
        <translation>取消了一个排队的问题</translation>
    </message>
    <message>
        <source>The cache changed from %1 to %2.</source>
        <translation>缓存已从 %1 变为 %2。</translation>
    </message>
    <message>
        <source>tokens restored</source>
        <translation>词元已恢复</translation>
    </message>
    <message>
        <source>The tokens this question needs were not restored: %1</source>
        <translation>此问题所需的词元未被恢复：%1</translation>
    </message>
    <message>
        <source>This question needs no evicted tokens (%1)</source>
        <translation>此问题不需要任何被驱逐的词元（%1）</translation>
    </message>
    <message>
        <source>This question needs %1 evicted tokens.</source>
        <translation>此问题需要 %1 个被驱逐的词元。</translation>
    </message>
    <message>
        <source>%1 tokens restored for this question in %2. Compactions now keep %3 tokens of this conversation (%4) unchanged.</source>
        <translation>已在 %2 内为此问题恢复 %1 个词元。此后压缩会让此对话的 %3 个词元（%4）保持原样。</translation>
    </message>
    <message>
        <source>Not restored: %1</source>
        <translation>未恢复：%1</translation>
    </message>
    <message>
        <source>Restoring %1 tokens; %2 tokens of the text are read again.</source>
        <translation>正在恢复 %1 个词元；重读文本中的 %2 个词元。</translation>
    </message>
    <message>
        <source>Restored %1 tokens in %2; %3 were read again. Compactions now keep %4 tokens of this conversation (%5) unchanged.</source>
        <translation>已恢复 %1 个词元，用时 %2；重读 %3 个。压缩现在会使此对话的 %4 个词元（%5）保持原样。</translation>
    </message>
</context>
<context>
    <name>lacuna::app::TextFiles</name>
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
        <source>Reading %1 was cancelled.</source>
        <translation>读取 %1 已取消。</translation>
    </message>
    <message>
        <source>%1 was not read, because the PDF reader cannot be started: %2.</source>
        <translation>未读取 %1，因为无法启动 PDF 读取程序：%2。</translation>
    </message>
    <message>
        <source>%1 has no text: its pages (%2) are scanned pictures. Run text recognition first, for example with ocrmypdf.</source>
        <translation>%1 没有文本：其页面（%2）是扫描图像。请先进行文字识别，例如用 ocrmypdf。</translation>
    </message>
    <message>
        <source>%1 cannot be read: it is damaged or not a PDF.</source>
        <translation>无法读取 %1：文件已损坏或不是 PDF。</translation>
    </message>
    <message>
        <source>%1 needs a password. Save a copy without a password first.</source>
        <translation>%1 需要密码。请先另存为不带密码的副本。</translation>
    </message>
    <message>
        <source>%1 has more than %2 characters of text, the most that can be attached.</source>
        <translation>%1 的文本超过 %2 个字符，超出了可附加的上限。</translation>
    </message>
    <message>
        <source>%1 was not read: it took longer than %2 s.</source>
        <translation>未读取 %1：耗时超过 %2 秒。</translation>
    </message>
    <message>
        <source>%1 was not read: it needs more than %2 s of processor time.</source>
        <translation>未读取 %1：需要超过 %2 秒的处理器时间。</translation>
    </message>
    <message>
        <source>%1 was not read: it needs more than %2 of memory.</source>
        <translation>未读取 %1：需要超过 %2 的内存。</translation>
    </message>
    <message>
        <source>%1 was not read: it crashes the PDF reader. The file is damaged or malicious.</source>
        <translation>未读取 %1：它会使 PDF 读取程序崩溃。文件已损坏或含恶意内容。</translation>
    </message>
    <message>
        <source>%1 of the %2 pages of %3 are pictures without text and were skipped.</source>
        <translation>%3 共 %2 页，其中 %1 页是没有文本的图像，已跳过。</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 不存在。</translation>
    </message>
    <message>
        <source>%1 is not UTF-8 or UTF-16 text.</source>
        <translation>%1 不是 UTF-8 或 UTF-16 文本。</translation>
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
    <message>
        <source>&amp;Conversation</source>
        <translation>对话(&amp;C)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AnswerAlert</name>
    <message>
        <source>Answer finished</source>
        <translation>回答已完成</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AttachmentController</name>
    <message>
        <source>Open the session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Attach as text</source>
        <translation>作为文本附加</translation>
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
    <message>
        <source>%1 is a session report.</source>
        <translation>%1 是会话报告。</translation>
    </message>
    <message>
        <source>Too long: about %1 tokens, but the context has room for %2.</source>
        <translation>太长：约 %1 个词元，而上下文只容得下 %2 个。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::BranchSwitch</name>
    <message>
        <source>Show the next branch (Alt+Right)</source>
        <translation>显示后一个分支（Alt+Right）</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Show the previous branch (Alt+Left)</source>
        <translation>显示前一个分支（Alt+Left）</translation>
    </message>
    <message>
        <source>Branch %1 of %2. Edited and regenerated messages are kept as branches.</source>
        <translation>分支 %1，共 %2 个。编辑过和重新回答过的消息会保留为分支。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CacheFormatPanel</name>
    <message>
        <source>Cancel the change</source>
        <translation>取消更改</translation>
    </message>
    <message>
        <source>The cache is converted from %1 to %2 between steps; %3 of its rows are done.</source>
        <translation>缓存正在各步之间从 %1 转换为 %2；已完成 %3 的行。</translation>
    </message>
    <message>
        <source>Rows converted</source>
        <translation>已转换的行</translation>
    </message>
    <message>
        <source>Back to %1. The cache keeps its format until all of its rows are converted, so nothing is lost.</source>
        <translation>恢复为 %1。在所有行转换完成之前缓存保持其格式，因此不会丢失任何内容。</translation>
    </message>
    <message>
        <source>The previous format was not chosen by settings, so there is no format to return to.</source>
        <translation>之前的格式不是由设置选择的，因此没有可返回的格式。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CacheStatePanel</name>
    <message>
        <source>State of this cache</source>
        <translation>此缓存的状态</translation>
    </message>
    <message>
        <source>This cache: empty</source>
        <translation>此缓存：空</translation>
    </message>
    <message>
        <source>This cache: %1 smaller</source>
        <translation>此缓存：缩小 %1</translation>
    </message>
    <message>
        <source>This cache: full</source>
        <translation>此缓存：完整</translation>
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
    <name>lacuna::ui::ComparePage</name>
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
        <source>Question for both sides</source>
        <translation>两边的问题</translation>
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
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Use %1&apos;s settings</source>
        <translation>采用 %1 的设置</translation>
    </message>
    <message>
        <source>The last question of the conversation. Type another one to ask it instead.</source>
        <translation>对话中的最后一个问题。也可输入另一个问题代替它。</translation>
    </message>
    <message>
        <source>Answers one question under A, then under B. Cost and loss appear here at the end.</source>
        <translation>同一问题先在 A 下、再在 B 下回答。代价与损失最后显示在这里。</translation>
    </message>
    <message>
        <source>Cost and loss</source>
        <translation>代价与损失</translation>
    </message>
    <message>
        <source>Apply the method, ratio, budget and cache type of this side to the conversations of the window.</source>
        <translation>将这一侧的方法、压缩比、预算和缓存类型应用于窗口中的对话。</translation>
    </message>
    <message>
        <source>A answers first, then B. The results appear when both are done.</source>
        <translation>先由 A 回答，再由 B 回答。两者完成后显示结果。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextFullDialog</name>
    <message>
        <source>The context is full</source>
        <translation>上下文已满</translation>
    </message>
    <message>
        <source>Raise the context to %1 tokens</source>
        <translation>将上下文增大到 %1 个词元</translation>
    </message>
    <message>
        <source>New conversation with the newer half</source>
        <translation>用较新的一半开始新对话</translation>
    </message>
    <message>
        <source>Continue without the older half</source>
        <translation>去掉较旧的一半继续</translation>
    </message>
    <message>
        <source>Whenever the cache is full, its oldest tokens are dropped, except the first few; the page still shows them. Compression is turned off.</source>
        <translation>缓存每次填满时，除最前几个外，最旧的词元会被丢弃；页面仍会显示它们。压缩将关闭。</translation>
    </message>
    <message>
        <source>The largest context this model was trained for. Nothing is dropped; the cache grows with the text.</source>
        <translation>此模型训练时的最大上下文。不会丢弃任何内容；缓存随文本增长。</translation>
    </message>
    <message>
        <source>The older messages stay in this conversation; in the new one the model does not see them.</source>
        <translation>较旧的消息留在此对话中；模型在新对话中看不到它们。</translation>
    </message>
    <message>
        <source>Compaction does not help here: it saves memory, but the context limit counts the tokens of the text.</source>
        <translation>压缩在此无济于事：它节省内存，但上下文上限按文本的词元计。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextMeter</name>
    <message>
        <source>Context meter</source>
        <translation>上下文指示</translation>
    </message>
    <message>
        <source>Context in use. Dark: slots after compaction, mean over all heads. Thin line: prompt read so far.</source>
        <translation>已用上下文。深色：压缩后的槽位，取所有头的平均值。细线：已读取的提示词。</translation>
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
        <source>, held in %1 slots per head</source>
        <translation>，每个头用 %1 个槽位保存</translation>
    </message>
    <message>
        <source>, held in %1 slots per head (largest %2)</source>
        <translation>，每个头用 %1 个槽位保存（最多的头 %2）</translation>
    </message>
    <message>
        <source>%1 (%2, %3) is answering; local cache settings have no effect.</source>
        <translation>由 %1（%2，%3）回答；本地缓存设置不起作用。</translation>
    </message>
    <message>
        <source>Waiting for the first token</source>
        <translation>等待第一个词元</translation>
    </message>
    <message>
        <source>Writing, engine total %1 tok/s</source>
        <translation>正在生成，引擎合计 %1 词元/秒</translation>
    </message>
    <message>
        <source>Compacting</source>
        <translation>正在压缩</translation>
    </message>
    <message>
        <source>Changing the cache format</source>
        <translation>正在更改缓存格式</translation>
    </message>
    <message>
        <source>Estimating a compaction</source>
        <translation>正在估计压缩</translation>
    </message>
    <message>
        <source>Trying ratios</source>
        <translation>正在试验压缩比</translation>
    </message>
    <message>
        <source>Comparing settings</source>
        <translation>正在比较设置</translation>
    </message>
    <message>
        <source>Sweeping settings</source>
        <translation>正在进行参数扫描</translation>
    </message>
    <message>
        <source>Measuring quality</source>
        <translation>正在测量质量</translation>
    </message>
    <message>
        <source>Calibrating rotations</source>
        <translation>正在校准旋转</translation>
    </message>
    <message>
        <source>Measuring heads</source>
        <translation>正在测量头</translation>
    </message>
    <message>
        <source>Measuring the precision</source>
        <translation>正在测量精度</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ConversationExporter</name>
    <message>
        <source>Markdown...</source>
        <translation>Markdown 文件...</translation>
    </message>
    <message>
        <source>JSON...</source>
        <translation>JSON 文件...</translation>
    </message>
    <message>
        <source>Web page...</source>
        <translation>网页...</translation>
    </message>
    <message>
        <source>Save this conversation as a Markdown file.</source>
        <translation>将此对话保存为 Markdown 文件。</translation>
    </message>
    <message>
        <source>Save this conversation as JSON, with every branch.</source>
        <translation>将此对话连同所有分支保存为 JSON。</translation>
    </message>
    <message>
        <source>Save this conversation as a web page in one file.</source>
        <translation>将此对话保存为单文件网页。</translation>
    </message>
    <message>
        <source>Export conversation</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>This conversation is empty.</source>
        <translation>此对话为空。</translation>
    </message>
    <message>
        <source>Conversation exported to %1.</source>
        <translation>对话已导出到 %1。</translation>
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
        <source>What now?</source>
        <translation>接下来做什么？</translation>
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
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Go to the next step when this one is done.</source>
        <translation>此步完成后进入下一步。</translation>
    </message>
    <message>
        <source>Ways to continue: chat, load a model, tune.</source>
        <translation>接下来可以：对话、加载模型、调节。</translation>
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
        <source>%1 of %2, %3 texts</source>
        <translation>%1 / %2，%3 个文本</translation>
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
        <source>8 bits</source>
        <translation>8 位</translation>
    </message>
    <message>
        <source>exact, bit for bit</source>
        <translation>精确，逐位一致</translation>
    </message>
    <message>
        <source>%1 of %2, %3 pages</source>
        <translation>%1 / %2，%3 页</translation>
    </message>
    <message>
        <source>Off: nothing is stored. Set a limit to turn it on.</source>
        <translation>已关闭：不存储任何内容。设置上限即可开启。</translation>
    </message>
    <message>
        <source>Nothing has been stored in this run yet.</source>
        <translation>本次运行尚未存储任何内容。</translation>
    </message>
    <message>
        <source>Not used in this run yet.</source>
        <translation>本次运行尚未使用。</translation>
    </message>
    <message>
        <source>The only lookup so far was a miss.</source>
        <translation>目前唯一的一次查找未命中。</translation>
    </message>
    <message>
        <source>All %1 lookups were misses.</source>
        <translation>%1 次查找均未命中。</translation>
    </message>
    <message>
        <source>%1 of %2 lookups were hits: %3 tokens, about %4 saved</source>
        <translation>%2 次查找中有 %1 次命中：%3 个词元，约节省 %4</translation>
    </message>
    <message>
        <source>Clear what is stored here, after %1 seconds during which you can undo it. Conversations keep their own caches.</source>
        <translation>%1 秒后清除此处存储的内容，期间可以撤销。对话保留各自的缓存。</translation>
    </message>
    <message>
        <source>Clear the prefix cache in memory</source>
        <translation>清除内存中的前缀缓存</translation>
    </message>
    <message>
        <source>Clear the prefix cache on disk</source>
        <translation>清除磁盘上的前缀缓存</translation>
    </message>
    <message>
        <source>small: transform or 8 bits</source>
        <translation>小：校准的变换，否则 8 位</translation>
    </message>
    <message>
        <source>Precision of pages written from now on, by every program that shares the folder. An answer that continues from rounded rows can differ from one computed from exact rows.</source>
        <translation>从现在起写入的页面的精度，对共用此文件夹的所有程序有效。从舍入过的行继续的回答，可能与由精确的行得到的不同。</translation>
    </message>
    <message>
        <source>Precision of rows on disk</source>
        <translation>磁盘上行的精度</translation>
    </message>
    <message>
        <source>Rows stored</source>
        <translation>行的存储</translation>
    </message>
    <message>
        <source>Fill level</source>
        <translation>占用程度</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DownloadPage</name>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>running</source>
        <translation>进行中</translation>
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
        <source>OWNER/NAME or https://...</source>
        <translation>所有者/名称 或 https://...</translation>
    </message>
    <message>
        <source>Look up</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>模型库</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
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
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Remove...</source>
        <translation>移除...</translation>
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
        <source>reading the partial file</source>
        <translation>正在读取部分文件</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>OWNER/NAME on the hub, or the address of a file. Nothing is sent before you press Look up.</source>
        <translation>模型库中的“所有者/名称”，或文件的地址。按“查找”之前不会发出任何请求。</translation>
    </message>
    <message>
        <source>List the models of the repository.</source>
        <translation>列出此仓库中的模型。</translation>
    </message>
    <message>
        <source>Address of the hub or of a mirror. Empty: the default hub.</source>
        <translation>模型库或其镜像的地址。留空：默认模型库。</translation>
    </message>
    <message>
        <source>Access token of your hub account, for models with restricted access. It is sent only to the hub, kept until this window closes and never saved.</source>
        <translation>您在模型库的账户访问令牌，用于限制访问的模型。只发给模型库，保留到此窗口关闭，从不保存。</translation>
    </message>
    <message>
        <source>only for restricted models</source>
        <translation>仅限制访问的模型需要</translation>
    </message>
    <message>
        <source>Where models are saved.</source>
        <translation>模型保存的位置。</translation>
    </message>
    <message>
        <source>Also download unencrypted from other machines. Anyone on the network path can read and change the data, so enter a digest.</source>
        <translation>也允许从其他机器不加密下载。网络途中任何人都能读取和改动数据，因此请填写摘要。</translation>
    </message>
    <message>
        <source>Models of a repository appear here after a lookup.</source>
        <translation>查询之后，仓库中的模型显示在这里。</translation>
    </message>
    <message>
        <source>as shown on the hub</source>
        <translation>与模型库显示的一致</translation>
    </message>
    <message>
        <source>SHA-256 digest the file must have, 64 digits, if you know it.</source>
        <translation>文件必须具有的 SHA-256 摘要，64 个字符，如您知道的话。</translation>
    </message>
    <message>
        <source>Downloads and their progress appear here.</source>
        <translation>下载及其进度显示在这里。</translation>
    </message>
    <message>
        <source>Selected download</source>
        <translation>所选下载</translation>
    </message>
    <message>
        <source>Keeps the downloaded part.</source>
        <translation>保留已下载的部分。</translation>
    </message>
    <message>
        <source>Continues where it stopped if that is safe.</source>
        <translation>在安全的情况下从停止处继续。</translation>
    </message>
    <message>
        <source>Removes it from this list and deletes the partial file of an unfinished download.</source>
        <translation>从此列表移除，并删除未完成下载的部分文件。</translation>
    </message>
    <message>
        <source>Remove %1? The %2 downloaded so far are deleted.</source>
        <translation>移除 %1？已下载的 %2 将被删除。</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>from the hub</source>
        <translation>来自模型库</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Looking up %1...</source>
        <translation>正在查找 %1...</translation>
    </message>
    <message>
        <source>%1: one model. Download fetches it.</source>
        <translation>%1：一个模型。按“下载”获取。</translation>
    </message>
    <message>
        <source>%1: Download fetches the selected model.</source>
        <translation>%1：“下载”将获取所选模型。</translation>
    </message>
    <message>
        <source>No connection is made until you look something up or resume a download.</source>
        <translation>在您查找或继续下载之前，不会建立任何连接。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ExportPage</name>
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
        <source>PDF</source>
        <translation>PDF</translation>
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
        <source>Writing...</source>
        <translation>正在写入...</translation>
    </message>
    <message>
        <source>Report written: %1 files in %2.</source>
        <translation>报告已写入：%2 中有 %1 个文件。</translation>
    </message>
    <message>
        <source>Replace existing files</source>
        <translation>替换现有文件</translation>
    </message>
    <message>
        <source>JSON, complete</source>
        <translation>JSON，完整</translation>
    </message>
    <message>
        <source>Everything; can be opened here and replayed on any machine.</source>
        <translation>全部内容，可在此打开，也可在任何机器上重放。</translation>
    </message>
    <message>
        <source>For printing and for readers without Lacuna.</source>
        <translation>用于打印，或给没有 Lacuna 的读者。</translation>
    </message>
    <message>
        <source>Choose a folder for the report.</source>
        <translation>请选择报告文件夹。</translation>
    </message>
    <message>
        <source>A file with this name exists.</source>
        <translation>已有同名文件。</translation>
    </message>
    <message>
        <source>Choose at least one document.</source>
        <translation>请至少选择一种文档。</translation>
    </message>
    <message>
        <source>This folder is not empty. Choose another, or allow replacing existing files.</source>
        <translation>此文件夹不为空。请选择另一个，或允许替换现有文件。</translation>
    </message>
    <message>
        <source>Existing files with the same names are replaced.</source>
        <translation>现有的同名文件将被替换。</translation>
    </message>
    <message>
        <source>The folder will be created.</source>
        <translation>将创建此文件夹。</translation>
    </message>
    <message>
        <source>Open an earlier report...</source>
        <translation>打开以前的报告...</translation>
    </message>
    <message>
        <source>Step through a recorded session in this window and run it again.</source>
        <translation>在此窗口中逐步查看录制的会话并重新运行。</translation>
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
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>在此对话中查找</translation>
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
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Other branch: %1</source>
        <translation>其他分支：%1</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>上一个匹配（Shift+F3）</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>下一个匹配（F3）</translation>
    </message>
    <message>
        <source>Enter goes to the next match, Shift+Enter to the previous one.</source>
        <translation>Enter 转到下一个匹配，Shift+Enter 转到上一个。</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>匹配项</translation>
    </message>
    <message>
        <source>Matches: %1</source>
        <translation>匹配：%1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::FormatPage</name>
    <message>
        <source>%1 (%2x)</source>
        <translation>%1（%2x）</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>通过</translation>
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
        <source>Mean KL</source>
        <translation>平均 KL</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>同上，取位置的第 99 百分位。</translation>
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
        <source>No model loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>No format is known to pass.</source>
        <translation>没有已知能通过的格式。</translation>
    </message>
    <message>
        <source>Choose a row first.</source>
        <translation>请先选择一行。</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>%1 of %2 texts so far</source>
        <translation>目前 %2 个文本中的 %1 个</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>nothing saved in %1 short texts</source>
        <translation>%1 个短文本未节省任何内容</translation>
    </message>
    <message>
        <source>%1 texts excluded</source>
        <translation>排除 %1 个文本</translation>
    </message>
    <message>
        <source>Bits per number</source>
        <translation>每数位数</translation>
    </message>
    <message>
        <source>Bytes per token</source>
        <translation>每词元字节</translation>
    </message>
    <message>
        <source>Same top token</source>
        <translation>最可能词元相同</translation>
    </message>
    <message>
        <source>Tokens/s (vs. f16)</source>
        <translation>词元/秒（相对 f16）</translation>
    </message>
    <message>
        <source>Presets first, then other measured formats.</source>
        <translation>先列预设，再列其他已测格式。</translation>
    </message>
    <message>
        <source>t8 to t1: rotated codes of 8 to 1 bits. q8_0, q4_0: codes in groups.</source>
        <translation>t8 至 t1：8 至 1 位的旋转编码。q8_0、q4_0：分组编码。</translation>
    </message>
    <message>
        <source>Live bits per stored number, scales and positions included.</source>
        <translation>每个存储数值占用的位数，含缩放和位置。</translation>
    </message>
    <message>
        <source>Live bytes per token over all layers, mean over the texts.</source>
        <translation>所有层中每个词元占用的字节，各文本均值。</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from that of the 16-bit cache, in nats, mean over running text.</source>
        <translation>下一词元分布相对 16 位缓存的散度，单位奈特，连续文本均值。</translation>
    </message>
    <message>
        <source>Share of positions with the same most likely token.</source>
        <translation>最可能词元相同的位置占比。</translation>
    </message>
    <message>
        <source>Of the dialogues answered correctly with 16 bits, how many are also answered correctly with this format.</source>
        <translation>16 位能答对的对话中，此格式也答对的数量。</translation>
    </message>
    <message>
        <source>Decoding speed, median of rounds that alternate with 16 bits, and its ratio to 16 bits.</source>
        <translation>解码速度：与 16 位交替运行各轮的中位数，及其与 16 位之比。</translation>
    </message>
    <message>
        <source>Why this model cannot use the format, or whether it is selected.</source>
        <translation>此模型为何不能使用该格式，或该格式是否已选。</translation>
    </message>
    <message>
        <source>%1 bytes per token allocated.</source>
        <translation>每词元分配 %1 字节。</translation>
    </message>
    <message>
        <source>Copy the table as Markdown.</source>
        <translation>将表格复制为 Markdown。</translation>
    </message>
    <message>
        <source>Table copied.</source>
        <translation>表格已复制。</translation>
    </message>
    <message>
        <source>1 to 8 bits as rotated codes, or 16 bits.</source>
        <translation>旋转编码 1 至 8 位，或 16 位。</translation>
    </message>
    <message>
        <source>%1 was sent to the engine; existing caches are converted between steps.</source>
        <translation>已将 %1 发送给引擎；现有缓存会在步骤之间转换。</translation>
    </message>
    <message>
        <source>The smallest format that passes is known after measuring.</source>
        <translation>测量之后可知能通过的最小格式。</translation>
    </message>
    <message>
        <source>Store keys and values as %1 from now on.</source>
        <translation>从现在起键和值以 %1 保存。</translation>
    </message>
    <message>
        <source>This format is already selected.</source>
        <translation>此格式已选定。</translation>
    </message>
    <message>
        <source>A custom format; every token is kept.</source>
        <translation>自定义格式；保留每个词元。</translation>
    </message>
    <message>
        <source>Apply all settings of this preset.</source>
        <translation>应用此预设的所有设置。</translation>
    </message>
    <message>
        <source>%1 for %2 tokens; with the selected format %3.</source>
        <translation>%2 个词元占 %1；按所选格式 %3。</translation>
    </message>
    <message>
        <source>These bits are already selected.</source>
        <translation>这些位数已选定。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>Nothing has been measured for this model yet. Measure compares the formats while you go on.</source>
        <translation>尚未对该模型进行测量。“测量”会在您继续使用时比较各种格式。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuardedApplication</name>
    <message>
        <source>Not enough memory for this action. Saved data is not affected.</source>
        <translation>内存不足，无法执行此操作。已保存的数据不受影响。</translation>
    </message>
    <message>
        <source>The action failed: %1</source>
        <translation>操作失败：%1</translation>
    </message>
    <message>
        <source>The action failed.</source>
        <translation>操作失败。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuidedDemo</name>
    <message>
        <source>loading the bundled model</source>
        <translation>正在加载自带模型</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>attention matching</source>
        <translation>注意力匹配</translation>
    </message>
    <message>
        <source>a new conversation; once the text is read, %1</source>
        <translation>新对话；文本读完后，%1</translation>
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
        <source>The demo stopped at &quot;%1&quot;: nothing happened for %2.</source>
        <translation>演示停在“%1”：%2 内没有动静。</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>The text of the demo was not found: texts/opening_prompts.json is missing or names no text and questions; searched in %1.</source>
        <translation>未找到演示文本：texts/opening_prompts.json 缺失，或未指明文本和问题；查找位置：%1。</translation>
    </message>
    <message>
        <source>The demo was stopped. Your settings are restored.</source>
        <translation>演示已停止。您的设置已恢复。</translation>
    </message>
    <message>
        <source>The model reads four pages with hidden facts. The KV cache is its memory of them: watch its size rise in the charts below.</source>
        <translation>模型正在阅读四页藏有事实的文本。KV 缓存就是它对文本的记忆：请看下方图表中其大小上升。</translation>
    </message>
    <message>
        <source>the full cache</source>
        <translation>完整缓存</translation>
    </message>
    <message>
        <source>The model is asked for one of the facts: %1</source>
        <translation>向模型询问其中一个事实：%1</translation>
    </message>
    <message>
        <source>Now the cache is made four times smaller. Attention matching keeps a quarter of the slots and fits them so that attention hardly changes: the size falls.</source>
        <translation>现在把缓存缩小到四分之一。注意力匹配保留四分之一的槽位，并加以拟合，使注意力几乎不变：大小下降。</translation>
    </message>
    <message>
        <source>a quarter of the cache</source>
        <translation>四分之一的缓存</translation>
    </message>
    <message>
        <source>With the remaining quarter, the model is asked for another fact: %1</source>
        <translation>用剩下的四分之一，向模型询问另一个事实：%1</translation>
    </message>
    <message>
        <source>Tints show what the cache still holds of each word: kept, merged into others, or evicted. F7 shows them at any time.</source>
        <translation>着色显示缓存仍保留了每个词的什么：保留、与其他合并或被驱逐。随时按 F7 查看。</translation>
    </message>
    <message>
        <source>a short chat first: temperature 0, compression off</source>
        <translation>先聊几句：温度 0，压缩关闭</translation>
    </message>
    <message>
        <source>question: %1</source>
        <translation>提问：%1</translation>
    </message>
    <message>
        <source>nothing is evicted</source>
        <translation>不驱逐任何内容</translation>
    </message>
    <message>
        <source>eviction</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>512 slots per head are kept, chosen by their keys alone</source>
        <translation>每头保留 512 个槽位，仅按键选择</translation>
    </message>
    <message>
        <source>attention matching makes the cache 4 times smaller</source>
        <translation>注意力匹配把缓存缩小到四分之一</translation>
    </message>
    <message>
        <source>a long text with hidden facts: %1; %2</source>
        <translation>一段藏有事实的长文本：%1；%2</translation>
    </message>
    <message>
        <source>the text is read and compacted before any question</source>
        <translation>文本在提问之前读取并压缩</translation>
    </message>
    <message>
        <source>the text is read before any question</source>
        <translation>文本在提问之前读取</translation>
    </message>
    <message>
        <source>question with %1: %2</source>
        <translation>用%1提问：%2</translation>
    </message>
    <message>
        <source>a longer answer; the ratio changes to 8 while it is written</source>
        <translation>较长的回答；生成期间压缩比调为 8</translation>
    </message>
    <message>
        <source>ratio %1 is rejected, with the reason and the nearest valid value</source>
        <translation>压缩比 %1 被拒绝，并给出原因和最接近的有效值</translation>
    </message>
    <message>
        <source>the suggested value is used and the cache is compacted</source>
        <translation>采用建议值并压缩缓存</translation>
    </message>
    <message>
        <source>back to the conversation with eviction: struck-out words are evicted in all heads</source>
        <translation>回到使用驱逐的对话：划线的词已在所有头中被驱逐</translation>
    </message>
    <message>
        <source>Demo finished: %1. Your settings are restored.</source>
        <translation>演示完成：%1。您的设置已恢复。</translation>
    </message>
    <message>
        <source>Demo finished: %1. %2 compactions. Report in %3</source>
        <translation>演示完成：%1。压缩 %2 次。报告位于 %3</translation>
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
    <name>lacuna::ui::MainWindow</name>
    <message>
        <source>Lacuna</source>
        <translation>Lacuna</translation>
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
        <source>Start the demo</source>
        <translation>开始演示</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 不存在。</translation>
    </message>
    <message>
        <source>New here? A 20-second demo shows what the cache costs and what compaction saves.</source>
        <translation>初次使用？20 秒的演示会展示缓存的代价和压缩节省了什么。</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>%1, the last model in use, could not be loaded: %2 The bundled model answers instead.</source>
        <translation>上次使用的模型 %1 无法加载：%2 改由自带的模型回答。</translation>
    </message>
    <message>
        <source>The window that is already open takes over.</source>
        <translation>已经打开的窗口会接手。</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Change model</source>
        <translation>更换模型</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>%1 answers; its memory is not measured here.</source>
        <translation>%1 正在回答；其内存不在此处测量。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Memory of the process</source>
        <translation>进程内存</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MeasureFooter</name>
    <message>
        <source>Start over</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
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
        <source>, about %1 left</source>
        <translation>，约剩 %1</translation>
    </message>
    <message>
        <source>Everything is measured. Start over measures it again.</source>
        <translation>已全部测量。“重新开始”会再次测量。</translation>
    </message>
    <message>
        <source>Discard the results and measure everything again.</source>
        <translation>丢弃结果，全部重新测量。</translation>
    </message>
    <message>
        <source>%1 of %2 measured; the measurement can be continued.</source>
        <translation>已测量 %1 / %2；测量可以继续。</translation>
    </message>
    <message>
        <source>Preparing the questions, %1</source>
        <translation>正在准备问题，%1</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>%1 (F5). Your questions are answered first.</source>
        <translation>%1 (F5)。您的问题会优先回答。</translation>
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
        <source>%1 free</source>
        <translation>空闲 %1</translation>
    </message>
    <message>
        <source>after loading</source>
        <translation>加载后</translation>
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
        <source>Next branch</source>
        <translation>后一个分支</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>删除分支</translation>
    </message>
    <message>
        <source>Undo delete branch</source>
        <translation>撤销删除分支</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pinned words...</source>
        <translation>固定的词语...</translation>
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
    <message>
        <source>Edit the selected message, or the last question. The old text is kept as another branch.</source>
        <translation>编辑所选的消息，未选时为最后一个问题。原文本保留为另一分支。</translation>
    </message>
    <message>
        <source>Previous branch</source>
        <translation>前一个分支</translation>
    </message>
    <message>
        <source>Show the branch before this one.</source>
        <translation>显示此分支之前的分支。</translation>
    </message>
    <message>
        <source>Show the branch after this one.</source>
        <translation>显示此分支之后的分支。</translation>
    </message>
    <message>
        <source>Delete the branch shown, from where it splits off; can be undone.</source>
        <translation>从分叉处起删除当前显示的分支；可以撤销。</translation>
    </message>
    <message>
        <source>Restore the branch deleted last.</source>
        <translation>恢复最近删除的分支。</translation>
    </message>
    <message>
        <source>Make compaction keep the selected words; they count towards the budget.</source>
        <translation>让压缩保留所选词语；它们计入预算。</translation>
    </message>
    <message>
        <source>Let compaction evict the selected words again.</source>
        <translation>允许压缩再次驱逐所选词语。</translation>
    </message>
    <message>
        <source>List the words that compaction keeps; go to them or unpin them.</source>
        <translation>列出压缩会保留的词语；可前往或取消固定。</translation>
    </message>
    <message>
        <source>This conversation has only one branch: edit a message or regenerate an answer to start another.</source>
        <translation>此对话只有一个分支：编辑消息或重新回答即可开始另一个分支。</translation>
    </message>
    <message>
        <source>Select words of a message first.</source>
        <translation>请先选中消息中的词语。</translation>
    </message>
    <message numerus="yes">
        <source>Pinned. %n of these tokens were already evicted; they can be restored.</source>
        <translation>
            <numerusform>已固定。其中 %n 个词元此前已被驱逐，可以恢复。</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
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
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line, Esc cancels. The old text is kept as another branch.</source>
        <translation>Enter 发送，Shift+Enter 换行，Esc 取消。原文本保留为另一分支。</translation>
    </message>
    <message>
        <source>Ctrl+Enter replaces the answer, Esc cancels. The old answer is kept as another branch.</source>
        <translation>Ctrl+Enter 替换回答，Esc 取消。原回答保留为另一分支。</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Replace the question and send it (Enter)</source>
        <translation>替换问题并发送（Enter）</translation>
    </message>
    <message>
        <source>Replace the answer with this text (Ctrl+Enter)</source>
        <translation>用此文本替换回答（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Leave the message unchanged (Esc)</source>
        <translation>保持消息不变（Esc）</translation>
    </message>
    <message>
        <source>The old text is kept as another branch.</source>
        <translation>原文本保留为另一分支。</translation>
    </message>
    <message>
        <source>%1 About %2 tokens are read for the answer; the rest is reused.</source>
        <translation>%1 回答约需读取 %2 个词元；其余会复用。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageText</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy this code block</source>
        <translation>复制此代码块</translation>
    </message>
    <message>
        <source>Scroll this code block</source>
        <translation>滚动此代码块</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageView</name>
    <message>
        <source>%1 prompt tokens</source>
        <translation>提示词 %1 个词元</translation>
    </message>
    <message>
        <source> (%1 cached)</source>
        <translation>（%1 已缓存）</translation>
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
        <source>Continue</source>
        <translation>继续</translation>
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
    <message numerus="yes">
        <source>%n pinned</source>
        <translation>
            <numerusform>%n 处固定</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the attached text %1</source>
        <translation>显示附加的文本 %1</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>%1 answer tokens</source>
        <translation>%1 个回答词元</translation>
    </message>
    <message>
        <source>Continue this answer where it ended</source>
        <translation>从此回答结束处继续</translation>
    </message>
    <message>
        <source>Delete this branch and everything after it; can be undone</source>
        <translation>删除此分支及其后的全部内容；可以撤销</translation>
    </message>
    <message>
        <source>Pinned: compaction keeps these words (%1 tokens).</source>
        <translation>已固定：压缩会保留这些词语（%1 个词元）。</translation>
    </message>
    <message>
        <source>Pinned: compaction keeps these words.</source>
        <translation>已固定：压缩会保留这些词语。</translation>
    </message>
    <message>
        <source>This long message is folded. Copy takes the full text.</source>
        <translation>此长消息已折叠。复制时包含全文。</translation>
    </message>
    <message>
        <source>Answer the last question again. This answer is kept as another branch.</source>
        <translation>重新回答最后一个问题。此回答保留为另一分支。</translation>
    </message>
    <message>
        <source>Answer this question again. The messages after it are kept as another branch.</source>
        <translation>重新回答此问题。其后的消息保留为另一分支。</translation>
    </message>
    <message>
        <source>%1 tokens restored for this question</source>
        <translation>为此问题恢复了 %1 个词元</translation>
    </message>
    <message>
        <source>Answer the last question again. This reads %1 tokens again, because the cache no longer covers them.</source>
        <translation>重新回答最后一个问题。由于缓存不再覆盖，需要重新读取 %1 个词元。</translation>
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
        <source>measuring its precision: %1 %</source>
        <translation>正在测量精度：%1 %</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>跳过测量</translation>
    </message>
    <message>
        <source>fitting its surrogate: %1 %</source>
        <translation>正在拟合其代理：%1 %</translation>
    </message>
    <message>
        <source>Skip measuring the precision: answers are computed with two 8-bit terms, which every model tolerates.</source>
        <translation>跳过精度测量：回答以两个 8 位项计算，任何模型都能承受。</translation>
    </message>
    <message>
        <source>Skip fitting the surrogate: texts are repeated between answers to find out which of their tokens are needed.</source>
        <translation>跳过代理拟合：在回答之间复述文本，以确定需要其中哪些词元。</translation>
    </message>
    <message>
        <source>%1
The local model stays loaded and answers again after you disconnect.
%2</source>
        <translation>%1
本地模型保持加载，断开连接后恢复回答。
%2</translation>
    </message>
    <message>
        <source>%1
%2 layers, %3 query heads, vocabulary %4
%5
Licence: %6
Precision: %7
%8
%9</source>
        <translation>%1
%2 层，%3 个查询头，词表 %4
%5
许可证：%6
精度：%7
%8
%9</translation>
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
        <source>Connect to an engine…</source>
        <translation>连接引擎…</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
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
    <message>
        <source>Loss of compaction on this model by method and ratio, measured here.</source>
        <translation>此模型按方法和压缩比的压缩损失，在本机测得。</translation>
    </message>
    <message>
        <source>Let a remote engine answer, with a model that does not fit here.</source>
        <translation>让远程引擎用此处放不下的模型回答。</translation>
    </message>
    <message>
        <source>Copy this page as text.</source>
        <translation>将此页复制为文本。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Use of this model</source>
        <translation>该模型的使用</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelsPage</name>
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
        <source>Architecture, layers and width.</source>
        <translation>架构、层数和宽度。</translation>
    </message>
    <message>
        <source>Number format of most of its weights.</source>
        <translation>多数权重的数值格式。</translation>
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
        <source>Models</source>
        <translation>模型</translation>
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
        <source>Models on this machine</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Add folder...</source>
        <translation>添加文件夹...</translation>
    </message>
    <message>
        <source>Add model...</source>
        <translation>添加模型...</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
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
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
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
        <source>Choose a model.</source>
        <translation>请选择模型。</translation>
    </message>
    <message>
        <source>%1 is being loaded.</source>
        <translation>正在加载 %1。</translation>
    </message>
    <message>
        <source>No models yet: add a folder, drop a file here, or download one.</source>
        <translation>还没有模型：请添加文件夹、将文件拖到此处，或下载一个。</translation>
    </message>
    <message>
        <source>The file is being read.</source>
        <translation>正在读取文件。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Size of all its files.</source>
        <translation>全部文件的大小。</translation>
    </message>
    <message>
        <source>Number of tokens it was trained for.</source>
        <translation>训练时的词元数。</translation>
    </message>
    <message>
        <source>Memory the engine plans for weights, one step and the caches of all answers at the trained context, compared with free memory, under the current settings.</source>
        <translation>在当前设置下，引擎为权重、一个步骤以及所有回答在训练上下文下的缓存规划的内存，与空闲内存相比。</translation>
    </message>
    <message>
        <source>reading...</source>
        <translation>正在读取...</translation>
    </message>
    <message>
        <source>draft model %1</source>
        <translation>草稿模型 %1</translation>
    </message>
    <message>
        <source>Models, downloads and preparation</source>
        <translation>模型、下载和准备</translation>
    </message>
    <message>
        <source>%1 downloaded.</source>
        <translation>%1 已下载完成。</translation>
    </message>
    <message>
        <source>Enter loads the selected model.</source>
        <translation>按回车加载所选模型。</translation>
    </message>
    <message>
        <source>Selected model</source>
        <translation>所选模型</translation>
    </message>
    <message>
        <source>Search a folder for models, now and at every start.</source>
        <translation>在文件夹中查找模型，现在和每次启动时。</translation>
    </message>
    <message>
        <source>Add a GGUF file to the list; it stays where it is.</source>
        <translation>将 GGUF 文件加入列表；文件留在原处。</translation>
    </message>
    <message>
        <source>Folders that are searched for models. Choose one to remove it from this list; its files are not deleted.</source>
        <translation>查找模型的文件夹。选择某个可将其从此列表移除；其中的文件不会被删除。</translation>
    </message>
    <message>
        <source>Load the last model at startup</source>
        <translation>启动时加载上次的模型</translation>
    </message>
    <message>
        <source>At the next start, loads the model that was last in use, even after a crash.</source>
        <translation>下次启动时加载上次使用的模型，即使程序曾崩溃。</translation>
    </message>
    <message>
        <source>Delete a downloaded model from disk, after confirmation.</source>
        <translation>经确认后从磁盘删除下载的模型。</translation>
    </message>
    <message>
        <source>Unload the model and free its memory.</source>
        <translation>卸载模型并释放其内存。</translation>
    </message>
    <message>
        <source>Stop loading; the previous model stays in use.</source>
        <translation>停止加载；继续使用之前的模型。</translation>
    </message>
    <message>
        <source>Load the selected model; conversations stay.</source>
        <translation>加载所选模型；对话保留。</translation>
    </message>
    <message>
        <source>Loading progress</source>
        <translation>加载进度</translation>
    </message>
    <message>
        <source>Delete %1 from disk? This cannot be undone.</source>
        <translation>从磁盘删除 %1？此操作无法撤销。</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>No folders added yet</source>
        <translation>尚未添加文件夹</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Choose a model to see its memory plan.</source>
        <translation>选择模型以查看其内存规划。</translation>
    </message>
    <message>
        <source>There is no plan for a model that cannot be loaded.</source>
        <translation>无法加载的模型没有规划。</translation>
    </message>
    <message>
        <source>Switch between table and chart.</source>
        <translation>在表格与图表之间切换。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::NavigationRail</name>
    <message>
        <source>Conversations, and what their memory costs</source>
        <translation>对话及其内存开销</translation>
    </message>
    <message>
        <source>Charts, cache map, timeline and stored prefixes</source>
        <translation>图表、缓存图、时间线和已存前缀</translation>
    </message>
    <message>
        <source>Compare and sweep settings, measure formats and quality</source>
        <translation>比较和扫描设置，测量格式与质量</translation>
    </message>
    <message>
        <source>Models on this machine, downloads and preparation</source>
        <translation>本机模型、下载和准备</translation>
    </message>
    <message>
        <source>Local server and remote engines</source>
        <translation>本地服务器和远程引擎</translation>
    </message>
    <message>
        <source>Export a session, or open a recorded one</source>
        <translation>导出会话或打开录制的会话</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Monitor</source>
        <translation>监视</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Reports</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Ctrl+%2)</translation>
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
        <source>Problem: %1</source>
        <translation>问题：%1</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Notice action</source>
        <translation>通知操作</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PageFooter</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the measurement. Results so far are kept.</source>
        <translation>停止测量。已有结果会保留。</translation>
    </message>
    <message>
        <source>Stop the measurement</source>
        <translation>停止测量</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PageStack</name>
    <message>
        <source>Tabs of %1</source>
        <translation>%1 的标签页</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ParetoPlot</name>
    <message>
        <source>KL, nats (mean)</source>
        <translation>KL，奈特（均值）</translation>
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
        <source>, output error %1</source>
        <translation>，输出误差 %1</translation>
    </message>
    <message>
        <source>Bytes and loss of every setting</source>
        <translation>各设置的字节与损失</translation>
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
        <source>The first setting is being tried.</source>
        <translation>正在尝试第一组设置。</translation>
    </message>
    <message>
        <source>different top token, share</source>
        <translation>最可能词元不同的占比</translation>
    </message>
    <message>
        <source>%1: %2 of the bytes, KL %3, %4 same top token</source>
        <translation>%1：字节 %2，KL %3，最可能词元相同 %4</translation>
    </message>
    <message>
        <source>Each setting becomes a point once it has been tried.</source>
        <translation>每组设置一经尝试即成为一个点。</translation>
    </message>
    <message>
        <source>%1 settings; the arrow keys move between them in order of bytes.</source>
        <translation>%1 组设置；用方向键按字节顺序逐个移动。</translation>
    </message>
    <message>
        <source>Each setting becomes a point here: live bytes across, loss upward.</source>
        <translation>每组设置在此成为一个点：横向为占用字节，纵向为损失。</translation>
    </message>
    <message>
        <source>This was not measured.</source>
        <translation>此项未测量。</translation>
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
        <source>%1 (tokens: %2)</source>
        <translation>%1（词元：%2）</translation>
    </message>
    <message>
        <source>%1 (tokens: %2, evicted before: %3)</source>
        <translation>%1（词元：%2，此前已驱逐：%3）</translation>
    </message>
    <message>
        <source>Nothing is pinned. Select words in the chat and choose Pin: compaction then keeps them.</source>
        <translation>没有固定的内容。请在对话中选中词语并选择“固定”：压缩会保留它们。</translation>
    </message>
    <message>
        <source>Compaction keeps these words. Their tokens are counted with the next question.</source>
        <translation>压缩会保留这些词语。其词元数将在下一个问题时统计。</translation>
    </message>
    <message>
        <source>Compaction keeps these words. Tokens: %1, which take %2 in a full cache; they count towards the budget.</source>
        <translation>压缩会保留这些词语。词元：%1，在完整缓存中占 %2；它们计入预算。</translation>
    </message>
    <message>
        <source>Compaction keeps these words. Tokens: %1; they count towards the budget.</source>
        <translation>压缩会保留这些词语。词元：%1；它们计入预算。</translation>
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
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>Trying ratios, %1 of %2…</source>
        <translation>正在试算压缩比，%1 / %2…</translation>
    </message>
    <message>
        <source>Predicted at %1: %2 of the text&apos;s information kept, weakest passage %3; output error %4</source>
        <translation>%1 时的预测：保留文本信息的 %2，最弱段落 %3；输出误差 %4</translation>
    </message>
    <message>
        <source>Predicted at %1: output error about %2, interpolated between %3 and %4</source>
        <translation>预计在 %1 时：输出误差约 %2，由 %3 与 %4 插值得出</translation>
    </message>
    <message>
        <source>Predicted at %1: output error above %2, the value at %3</source>
        <translation>预计在 %1 时：输出误差高于 %2，即 %3 时的值</translation>
    </message>
    <message>
        <source>%1, same as %2: %3.</source>
        <translation>%1，与 %2 时相同：%3。</translation>
    </message>
    <message>
        <source>Loss predicted by trying the ratios of the slider on a copy of this conversation&apos;s cache between turns. The output error is relative: 0 is exact, at 1 nothing is left; a standard error is shown where only some heads are tried. A compaction of this text reports the same figure afterwards.</source>
        <translation>在回答之间，用此对话缓存的副本试算滑块的各压缩比，由此预测损失。输出误差是相对的：0 为精确，1 为什么都不剩；只试算部分头时显示标准误差。压缩此文本之后报告的是同一数值。</translation>
    </message>
    <message>
        <source>Predicted loss not available: %1.</source>
        <translation>无法预测损失：%1。</translation>
    </message>
    <message>
        <source>Predicted loss at the AM ratio</source>
        <translation>AM 压缩比的预测损失</translation>
    </message>
    <message>
        <source>Move the slider to predict the loss for this text.</source>
        <translation>移动滑块即可预测此文本的损失。</translation>
    </message>
    <message>
        <source>The loss is predicted after the next answer.</source>
        <translation>损失将在下一个回答之后预测。</translation>
    </message>
    <message>
        <source>; at the current %1: %2</source>
        <translation>；当前 %1 时：%2</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PrefixPage</name>
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
        <source>Private</source>
        <translation>私密</translation>
    </message>
    <message>
        <source>Tokens in its own cache after its last step in this run</source>
        <translation>本次运行最后一步之后其自身缓存中的词元</translation>
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
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens came from a cache (%3)</source>
        <translation>%2 个提示词词元中有 %1 个来自缓存（%3）</translation>
    </message>
    <message>
        <source>Source, or why not</source>
        <translation>来源或未复用的原因</translation>
    </message>
    <message>
        <source>Size of these tokens</source>
        <translation>这些词元的大小</translation>
    </message>
    <message>
        <source>Part of its last prompt that was not read again</source>
        <translation>上个提示词中未重新读取的部分</translation>
    </message>
    <message>
        <source>Source of the reused part, or why no more was reused</source>
        <translation>复用部分的来源，或未能更多的原因</translation>
    </message>
    <message>
        <source>From now on its text is not stored for other conversations, and prefixes of others are not used. What was stored before stays until it is cleared.</source>
        <translation>从现在起，其文本不会为其他对话存储，也不使用其他对话的前缀。之前存储的内容在清除前仍保留。</translation>
    </message>
    <message>
        <source>Text that was read is stored, so conversations, branches and requests with the same prefix need not read it again.</source>
        <translation>已读取的文本会存储，前缀相同的对话、分支和请求无需重新读取。</translation>
    </message>
    <message>
        <source>Undo clearing</source>
        <translation>撤销清除</translation>
    </message>
    <message>
        <source>Conversations and their caches</source>
        <translation>各对话及其缓存</translation>
    </message>
    <message>
        <source>No questions in this run yet</source>
        <translation>本次运行尚无提问</translation>
    </message>
    <message>
        <source>Conversation caches take %1 now. Four of them stay in memory; for another, the least recently used one is released, and its conversation then continues from the prefix cache.</source>
        <translation>对话缓存现占 %1。其中四个留在内存；需要更多时释放最久未用的一个，其对话随后从前缀缓存继续。</translation>
    </message>
    <message>
        <source>The prefix cache in memory is cleared in %1 s.</source>
        <translation>内存中的前缀缓存将在 %1 秒后清除。</translation>
    </message>
    <message>
        <source>The prefix cache on disk is cleared in %1 s.</source>
        <translation>磁盘上的前缀缓存将在 %1 秒后清除。</translation>
    </message>
    <message>
        <source>Stored prefixes</source>
        <translation>已存前缀</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PreparePage</name>
    <message>
        <source>stale, not used: %1</source>
        <translation>已过时，未使用：%1</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
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
        <source>Write as GGUF</source>
        <translation>写为 GGUF</translation>
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
        <source>Stop</source>
        <translation>停止</translation>
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
        <source>An answer is being written. Stop it first.</source>
        <translation>正在生成回答。请先停止它。</translation>
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
        <source>available for this model</source>
        <translation>此模型可用</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>A smaller model with the same vocabulary that drafts tokens; the text stays the same.</source>
        <translation>词表相同的较小模型，用于起草词元；文本保持不变。</translation>
    </message>
    <message>
        <source>Conversation cache</source>
        <translation>对话缓存</translation>
    </message>
    <message>
        <source>Model file task</source>
        <translation>模型文件任务</translation>
    </message>
    <message>
        <source>Progress of the model file task</source>
        <translation>模型文件任务进度</translation>
    </message>
    <message>
        <source>Stop the task; its result is discarded</source>
        <translation>停止任务；其结果会被丢弃</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>A smaller model with the same vocabulary that drafts tokens: answers come faster where its drafts are right, and stay the same.</source>
        <translation>词表相同的较小模型，用于起草词元：草稿正确时回答更快，内容不变。</translation>
    </message>
    <message>
        <source>Takes effect when the model is next loaded; the setting draft_tokens limits the length of a draft.</source>
        <translation>从下次加载模型起生效；设置 draft_tokens 限制草稿的长度。</translation>
    </message>
    <message>
        <source>Another model file task is running. Wait for it or stop it.</source>
        <translation>另一个模型文件任务正在运行。请等待或将其停止。</translation>
    </message>
    <message>
        <source>Its weights are already %1; converting to fewer bits needs a file with F32, F16 or BF16 weights.</source>
        <translation>其权重已是 %1；转换为更少的位需要 F32、F16 或 BF16 权重的文件。</translation>
    </message>
    <message>
        <source>Writes a new file; the original stays unchanged.</source>
        <translation>写入新文件；原文件保持不变。</translation>
    </message>
    <message>
        <source>%1 tokens that need not be read again with this model and these cache settings. Anyone who has the file can read the conversation in it.</source>
        <translation>%1 个词元无需重读，适用于此模型和这些缓存设置。拥有该文件的人可以读到其中的对话。</translation>
    </message>
    <message>
        <source>Calibrating and converting take minutes, run at low priority in the background and load another copy of the model.</source>
        <translation>校准和转换需几分钟，以低优先级在后台运行，并会另外加载一份模型。</translation>
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
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Try before applying</source>
        <translation>应用前先试算</translation>
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
        <source>Compact now</source>
        <translation>立即压缩</translation>
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
        <source>Applied; the cache is being compacted.</source>
        <translation>已应用；正在压缩缓存。</translation>
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
        <source>Tried on a copy of the cache, in %1.</source>
        <translation>已在缓存副本上试算，用时 %1。</translation>
    </message>
    <message>
        <source>Tried on %1 of %2 heads of a copy of the cache, in %3.</source>
        <translation>已在缓存副本的 %1 / %2 个头上试算，用时 %3。</translation>
    </message>
    <message>
        <source> The weakest passage keeps %1 of its information.</source>
        <translation>最弱的段落保留其信息的 %1。</translation>
    </message>
    <message>
        <source>Information kept</source>
        <translation>保留的信息</translation>
    </message>
    <message>
        <source>Nothing would be evicted: %1.</source>
        <translation>不会驱逐任何内容：%1。</translation>
    </message>
    <message>
        <source> Measuring how much of its information the text keeps.</source>
        <translation> 正在测量文本保留了多少信息。</translation>
    </message>
    <message>
        <source> Settings have changed since.</source>
        <translation> 此后设置已更改。</translation>
    </message>
    <message>
        <source>From the quality table of this model (Tools &gt; Quality of this model), measured with all other settings as at program start.</source>
        <translation>来自此模型的质量表（工具 &gt; 此模型的质量），其他设置均同程序启动时。</translation>
    </message>
    <message>
        <source>Changed settings wait here: they are estimated first and applied when you choose Apply.</source>
        <translation>更改的设置在此等待：先估计，待您选择“应用”后才应用。</translation>
    </message>
    <message>
        <source>actual</source>
        <translation>实际</translation>
    </message>
    <message>
        <source>Try a compaction with the requested settings on a copy of this conversation&apos;s cache</source>
        <translation>按要求的设置，在此对话缓存的副本上试算一次压缩</translation>
    </message>
    <message>
        <source>Apply the waiting settings and compact as estimated</source>
        <translation>应用等待中的设置，并按估计进行压缩</translation>
    </message>
    <message>
        <source>Discard the waiting settings</source>
        <translation>放弃等待中的设置</translation>
    </message>
    <message>
        <source>Compact with the current settings (F9)</source>
        <translation>按当前设置压缩（F9）</translation>
    </message>
    <message>
        <source>Applied from the next token of this answer; the cache is compacted then.</source>
        <translation>从此回答的下一个词元起应用；届时压缩缓存。</translation>
    </message>
    <message>
        <source>Applied; the cache is compacted when the next answer needs it, or now with Compact now.</source>
        <translation>已应用；缓存将在下一个回答需要时压缩，或用“立即压缩”马上压缩。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProfilePanel</name>
    <message>
        <source>Save...</source>
        <translation>保存...</translation>
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
        <source>Rename...</source>
        <translation>重命名...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
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
    <message>
        <source>Save these settings as your own profile</source>
        <translation>将这些设置保存为您自己的方案</translation>
    </message>
    <message>
        <source>Profile of cache settings</source>
        <translation>缓存设置的方案</translation>
    </message>
    <message>
        <source>Only your own profiles can be changed.</source>
        <translation>只能更改您自己的方案。</translation>
    </message>
    <message>
        <source>In effect from the next token of this answer.</source>
        <translation>从此回答的下一个词元起生效。</translation>
    </message>
    <message>
        <source>In effect; this conversation is compacted when its next answer needs it, or now with Compact now.</source>
        <translation>已生效；此对话将在下一个回答需要时压缩，或用“立即压缩”马上压缩。</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>自定义</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProgressFooter</name>
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
        <source>%1 (F5)</source>
        <translation>%1 (F5)</translation>
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
    <message>
        <source>Attach text or source code files, or drop them here (Ctrl+Shift+A)</source>
        <translation>附加文本或源代码文件，或将其拖到此处（Ctrl+Shift+A）</translation>
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
    <name>lacuna::ui::QualityPage</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
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
        <source>Live bytes</source>
        <translation>占用字节</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>同上，取位置的第 99 百分位。</translation>
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
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>未加载模型</translation>
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
        <source>%1 of %2 texts so far</source>
        <translation>目前 %2 个文本中的 %1 个</translation>
    </message>
    <message>
        <source>%1 texts not compacted</source>
        <translation>%1 个文本未压缩</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Attention matching (am) with each way to divide slots among heads, and eviction with each policy. Other settings as at program start. Questions: the head profile was made with questions of the tested kinds, a bench option.</source>
        <translation>注意力匹配（am） 与各种按头分配槽位的方式，以及各策略的驱逐。其他设置同程序启动时。“问题”：头剖面用受测类型的问题制作，为基准选项。</translation>
    </message>
    <message>
        <source>How many times smaller the cache should become.</source>
        <translation>缓存应缩小的倍数。</translation>
    </message>
    <message>
        <source>Of the dialogues answered correctly with the full cache, how many are also answered correctly with the compacted cache. Compaction runs after the text is read and before the question.</source>
        <translation>完整缓存能答对的对话中，压缩后的缓存也答对的数量。读完文本后、提问前压缩。</translation>
    </message>
    <message>
        <source>Mean score over the 13 tasks of RULER, as a share of the full cache&apos;s score. The model gets the question only after the text is compacted.</source>
        <translation>RULER 13 项任务的平均得分，相对完整缓存得分的占比。文本压缩后模型才得到问题。</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from that of the full cache, in nats, mean over running text after the compaction.</source>
        <translation>下一词元分布相对完整缓存的散度，单位奈特，压缩后连续文本的均值。</translation>
    </message>
    <message>
        <source>Perplexity of the same running text with the compacted cache.</source>
        <translation>同一连续文本使用压缩后的缓存的困惑度。</translation>
    </message>
    <message>
        <source>Bytes held after the compaction, positions and marks included, as a share of the full cache.</source>
        <translation>压缩后持有的字节（含位置和标记）占完整缓存的比例。</translation>
    </message>
    <message>
        <source>The same in bytes, mean over the texts.</source>
        <translation>同上，以字节计，各文本均值。</translation>
    </message>
    <message>
        <source>Mean time of a compaction on this machine, including the passes for its queries.</source>
        <translation>本机上一次压缩的平均时间，含为其查询的遍历。</translation>
    </message>
    <message>
        <source>Why there are no results, or how many texts are excluded.</source>
        <translation>为何没有结果，或排除了多少文本。</translation>
    </message>
    <message>
        <source>Full: hours</source>
        <translation>完整：数小时</translation>
    </message>
    <message>
        <source>Small: 6 dialogues, RULER at 1,024 tokens once, 2 windows of text. Full: 45 dialogues, RULER at 4,096 tokens four times, 10 windows. Each at ratios 2, 4, 8, 16 and 32.</source>
        <translation>小：6 个对话，RULER 1,024 词元一次，2 个文本窗口。完整：45 个对话，RULER 4,096 词元四次，10 个窗口。压缩比均为 2、4、8、16 和 32。</translation>
    </message>
    <message>
        <source>Size of the measurement</source>
        <translation>测量的规模</translation>
    </message>
    <message>
        <source>Copy the table as Markdown.</source>
        <translation>将表格复制为 Markdown。</translation>
    </message>
    <message>
        <source>Save the table as CSV or Markdown.</source>
        <translation>将表格保存为 CSV 或 Markdown。</translation>
    </message>
    <message>
        <source>Table copied.</source>
        <translation>表格已复制。</translation>
    </message>
    <message>
        <source>With the full cache: %1 dialogues answered, %2 RULER questions asked, perplexity %3, %4 per text.</source>
        <translation>使用完整缓存：答对 %1 个对话，RULER 提问 %2 个，困惑度 %3，每文本 %4。</translation>
    </message>
    <message>
        <source>Measure tries every method at each ratio and reports the loss: recall, RULER, KL, perplexity, bytes.</source>
        <translation>“测量”会在每个压缩比下尝试每种方法，并报告损失：召回、RULER、KL、困惑度、字节。</translation>
    </message>
    <message>
        <source>It runs while the conversation is idle, and can be stopped and continued.</source>
        <translation>测量在对话空闲时进行，可以停止，也可以继续。</translation>
    </message>
    <message>
        <source>Bytes kept</source>
        <translation>保留的字节</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RecentModels</name>
    <message>
        <source>Recent model %1</source>
        <translation>最近使用的模型 %1</translation>
    </message>
    <message>
        <source>Load a model that was loaded before.</source>
        <translation>加载以前加载过的模型。</translation>
    </message>
    <message>
        <source>Recent models</source>
        <translation>最近使用的模型</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>还没有模型</translation>
    </message>
    <message>
        <source>No further model was loaded.</source>
        <translation>没有加载过其他模型。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RecordedView</name>
    <message>
        <source>A recorded session is open. Close it to return to the live one.</source>
        <translation>已打开录制的会话。关闭它以返回当前会话。</translation>
    </message>
    <message>
        <source>There are no messages before this moment.</source>
        <translation>在此刻之前没有消息。</translation>
    </message>
    <message>
        <source>The report has no data on the cache at this moment.</source>
        <translation>报告没有此刻缓存的数据。</translation>
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
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>未报告</translation>
    </message>
    <message>
        <source>Slot %1: %2</source>
        <translation>槽位 %1：%2</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>累计</translation>
    </message>
    <message>
        <source>The current value, or the rate or mean over the last second.</source>
        <translation>当前值，或最近一秒的速率或均值。</translation>
    </message>
    <message>
        <source>Since the engine started; for times, the mean.</source>
        <translation>自引擎启动以来；时间类为均值。</translation>
    </message>
    <message>
        <source>Metrics of this engine</source>
        <translation>此引擎的指标</translation>
    </message>
    <message>
        <source>Known metrics; a dash where the engine does not report one.</source>
        <translation>已知的指标；引擎未报告处为短横线。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RemotePage</name>
    <message>
        <source>Engines</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
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
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Disconnected. The local engine answers again.</source>
        <translation>已断开。本地引擎恢复回答。</translation>
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
        <source>Problem: %1</source>
        <translation>问题：%1</translation>
    </message>
    <message>
        <source>none</source>
        <comment>key</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>Remote engines</source>
        <translation>远程引擎</translation>
    </message>
    <message>
        <source>A remote engine can answer the conversations of this window: vLLM, SGLang, llama-server, another Lacuna, or any server with an OpenAI-compatible API. Nothing is sent before you test or connect.</source>
        <translation>远程引擎可以回答此窗口的对话：vLLM、SGLang、llama-server、另一个 Lacuna，或任何具有 OpenAI 兼容 API 的服务器。在您测试或连接之前，不会发送任何内容。</translation>
    </message>
    <message>
        <source>Saved engines</source>
        <translation>已保存的引擎</translation>
    </message>
    <message>
        <source>Saved engines appear here.</source>
        <translation>保存的引擎显示在这里。</translation>
    </message>
    <message>
        <source>Add another engine</source>
        <translation>添加另一个引擎</translation>
    </message>
    <message>
        <source>Remove this engine and its key</source>
        <translation>移除此引擎及其密钥</translation>
    </message>
    <message>
        <source>Any name</source>
        <translation>任意名称</translation>
    </message>
    <message>
        <source>Query its models and metrics</source>
        <translation>查询其模型和指标</translation>
    </message>
    <message>
        <source>Save it to the list</source>
        <translation>保存到列表</translation>
    </message>
    <message>
        <source>Let it answer instead of the local engine</source>
        <translation>让它代替本地引擎回答</translation>
    </message>
    <message>
        <source>Removed, together with its key.</source>
        <translation>已移除，包括密钥。</translation>
    </message>
    <message>
        <source>Testing...</source>
        <translation>正在测试...</translation>
    </message>
    <message>
        <source>Connecting...</source>
        <translation>正在连接...</translation>
    </message>
    <message>
        <source>%1 (connected)</source>
        <translation>%1（已连接）</translation>
    </message>
    <message>
        <source>Saved; type to replace it</source>
        <translation>已保存；输入以替换</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
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
        <source>This conversation has no cache now: its next question reads the full text again.</source>
        <translation>此对话现在没有缓存：下一个问题会重新读取全文。</translation>
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
        <source>Calibrate rotations</source>
        <translation>校准旋转</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>Its result is discarded.</source>
        <translation>其结果会被丢弃。</translation>
    </message>
    <message>
        <source>Rotations take effect when the model is next loaded. The next question then reads its conversation again.</source>
        <translation>旋转从下次加载模型起生效。之后下一个问题会重新读取其对话。</translation>
    </message>
    <message>
        <source>Reads a text of 30,000 tokens while idle and finds the rotation that best suits the codes of each head. Your questions are answered first.</source>
        <translation>空闲时读取 30,000 个词元的文本，为每个头的编码找出最合适的旋转。您的问题优先回答。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ServerPage</name>
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
        <source>done (%1)</source>
        <translation>完成（%1）</translation>
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
        <source>Other machines too; needs a key</source>
        <translation>也允许其他机器；需要密钥</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Name of the model for clients</source>
        <translation>客户端使用的模型名称</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Model name</source>
        <translation>模型名称</translation>
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
        <source>Answers of the server, newest first</source>
        <translation>服务器的回答，最新在前</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Copy the text for this client</source>
        <translation>复制此客户端的文本</translation>
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
        <source>Embeddings</source>
        <translation>嵌入向量</translation>
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
        <source>none: nothing is saved</source>
        <translation>无：不保存</translation>
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
        <source>Saved caches</source>
        <translation>已保存的缓存</translation>
    </message>
    <message>
        <source>none</source>
        <comment>embeddings</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>接收时间</translation>
    </message>
    <message>
        <source>Prompt tokens that were already in a cache</source>
        <translation>提示词中缓存已有的词元数</translation>
    </message>
    <message>
        <source>Answer tokens so far</source>
        <translation>回答目前的词元数</translation>
    </message>
    <message>
        <source>From the request to the end of the answer, or to now</source>
        <translation>从请求到回答结束，或到现在</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>reading, %1 of %2</source>
        <translation>正在读取，%1 / %2</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>The server is finishing its answers</source>
        <translation>服务器正在完成其回答</translation>
    </message>
    <message>
        <source>No port is open. When on, the server answers programs with the model of this window, in parallel with the conversation. It is off at the next start of Lacuna.</source>
        <translation>没有打开端口。开启后，服务器用此窗口的模型回答其他程序，与对话并行。下次启动 Lacuna 时处于关闭。</translation>
    </message>
    <message>
        <source>It takes no new connections and stops after the last answer. Switch it off again to cancel the remaining answers.</source>
        <translation>不再接受新连接，最后一个回答后停止。再次关闭会取消剩余的回答。</translation>
    </message>
    <message>
        <source>No model is loaded: requests get status 503 until one is.</source>
        <translation>未加载模型：加载之前请求一律得到状态 503。</translation>
    </message>
    <message>
        <source>Clients use the model name “%1”. The cache settings are those of this window.</source>
        <translation>客户端使用模型名称“%1”。缓存设置与此窗口相同。</translation>
    </message>
    <message>
        <source>Answers appear here while the server is on: figures only, no text.</source>
        <translation>服务器开启期间，回答显示在这里：仅有数据，不含文本。</translation>
    </message>
    <message>
        <source>Answering: %1, waiting: %2, connections: %3, requests so far: %4</source>
        <translation>正在回答：%1，等待：%2，连接：%3，请求总数：%4</translation>
    </message>
    <message>
        <source>; %1 tokens/s in total</source>
        <translation>；合计 %1 词元/秒</translation>
    </message>
    <message>
        <source>Server state</source>
        <translation>服务器状态</translation>
    </message>
    <message>
        <source>This machine only</source>
        <translation>仅本机</translation>
    </message>
    <message>
        <source>This machine only, IPv6</source>
        <translation>仅本机，IPv6</translation>
    </message>
    <message>
        <source>127.0.0.1 accepts only this machine. 0.0.0.0 accepts other machines too: that needs a key, and the text travels unencrypted.</source>
        <translation>127.0.0.1 只接受本机。0.0.0.0 也接受其他机器：需要密钥，且文本以未加密方式传输。</translation>
    </message>
    <message>
        <source>any free port</source>
        <translation>任意空闲端口</translation>
    </message>
    <message>
        <source>name of the model file</source>
        <translation>模型文件名</translation>
    </message>
    <message>
        <source>Model name that clients use; further names after commas.</source>
        <translation>客户端使用的模型名称；其他名称用逗号分隔。</translation>
    </message>
    <message>
        <source>Answers written in parallel, each with its own cache; further requests wait. The conversation of this window is extra.</source>
        <translation>并行生成的回答数，各有自己的缓存；更多请求需等待。此窗口的对话另计。</translation>
    </message>
    <message>
        <source>Parallel answers</source>
        <translation>并行回答</translation>
    </message>
    <message>
        <source>0 uses any free port.</source>
        <translation>0 表示使用任意空闲端口。</translation>
    </message>
    <message>
        <source>one per token</source>
        <translation>每个词元一个</translation>
    </message>
    <message>
        <source>Text vectors (/v1/embeddings), and the tokens each is made from.</source>
        <translation>文本向量（/v1/embeddings），以及由哪些词元得出。</translation>
    </message>
    <message>
        <source>Folder where clients may save and restore the cache of a slot (/slots/0?action=save).</source>
        <translation>客户端可在其中保存并恢复槽位缓存的文件夹（/slots/0?action=save）。</translation>
    </message>
    <message>
        <source>none: every program on this machine can connect</source>
        <translation>无：本机任何程序都可连接</translation>
    </message>
    <message>
        <source>Clients send it with each request. Empty: no key is needed.</source>
        <translation>客户端随每个请求发送。留空：无需密钥。</translation>
    </message>
    <message>
        <source>Replace the key with 32 random letters and digits. It is stored in a file that only you can read.</source>
        <translation>用 32 个随机字母和数字替换密钥。它保存在只有您能读取的文件中。</translation>
    </message>
    <message>
        <source>No requests in this run yet. The Clients tab shows how programs connect.</source>
        <translation>本次运行尚无请求。“客户端”标签页说明程序如何连接。</translation>
    </message>
    <message>
        <source>Include the key</source>
        <translation>包含密钥</translation>
    </message>
    <message>
        <source>Otherwise the text takes the key from the environment variable LACUNA_API_KEY.</source>
        <translation>否则文本从环境变量 LACUNA_API_KEY 读取密钥。</translation>
    </message>
    <message>
        <source>Example for this client</source>
        <translation>此客户端的示例</translation>
    </message>
    <message>
        <source>Open the port and answer requests.</source>
        <translation>打开端口并回答请求。</translation>
    </message>
    <message>
        <source>Accept no new connections, and stop after the last answer.</source>
        <translation>不再接受新连接，并在最后一个回答后停止。</translation>
    </message>
    <message>
        <source>Close all connections and cancel the remaining answers.</source>
        <translation>关闭所有连接并取消剩余的回答。</translation>
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
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>No title or message contains “%1”.</source>
        <translation>标题和消息中都没有“%1”。</translation>
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
    <message>
        <source>Keep the current value</source>
        <translation>保留当前值</translation>
    </message>
    <message>
        <source>Keep the current value of %1</source>
        <translation>保留%1的当前值</translation>
    </message>
    <message>
        <source>effective %1</source>
        <translation>当前 %1</translation>
    </message>
    <message>
        <source>%1: requested %2, effective %3. %4</source>
        <translation>%1：要求 %2，当前 %3。%4</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingsPanel</name>
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
        <source>Reset all settings</source>
        <translation>重置所有设置</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
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
        <source>Sampling</source>
        <translation>采样</translation>
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
    <message>
        <source>All settings applied</source>
        <translation>所有设置均已应用</translation>
    </message>
    <message>
        <source>Draft: waiting for Apply</source>
        <translation>草稿：等待“应用”</translation>
    </message>
    <message>
        <source>Draft: about to be sent</source>
        <translation>草稿：即将发送</translation>
    </message>
    <message>
        <source>Restore the values that all settings had at program start</source>
        <translation>将所有设置恢复为程序启动时的值</translation>
    </message>
    <message>
        <source>No setting change to undo</source>
        <translation>没有可撤销的设置更改</translation>
    </message>
    <message>
        <source>Gives this conversation its own method, ratio, budget and other cache settings: changes here do not affect other conversations, and their changes do not affect this one. Sampling and run settings stay shared.</source>
        <translation>使此对话拥有自己的方法、压缩比、预算及其他缓存设置：此处的更改不影响其他对话，其他对话的更改也不影响此对话。采样和运行设置仍然共用。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>For this conversation only</source>
        <translation>仅用于此对话</translation>
    </message>
    <message>
        <source>Advanced (%1 settings)</source>
        <translation>高级（%1 项设置）</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Name, key or explanation of a setting</source>
        <translation>设置的名称、键或说明</translation>
    </message>
    <message>
        <source>Compression</source>
        <translation>压缩</translation>
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
        <source>Page Up, Page Down</source>
        <translation>Page Up、Page Down</translation>
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
        <source>Down, Enter</source>
        <translation>下、Enter</translation>
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
        <source>Search actions and keys</source>
        <translation>搜索操作和按键</translation>
    </message>
    <message>
        <source>Ctrl+wheel, drag, double-click</source>
        <translation>Ctrl+滚轮、拖动、双击</translation>
    </message>
    <message>
        <source>Slider: large step</source>
        <translation>滑块：大步</translation>
    </message>
    <message>
        <source>Slider: minimum, maximum</source>
        <translation>滑块：最小值、最大值</translation>
    </message>
    <message>
        <source>Search: go to the results</source>
        <translation>搜索：转到结果</translation>
    </message>
    <message>
        <source>Chart: zoom, pan, show all</source>
        <translation>图表：缩放、平移、显示全部</translation>
    </message>
    <message>
        <source>No action or key matches.</source>
        <translation>没有匹配的操作或按键。</translation>
    </message>
    <message>
        <source>Name of an action, its menu or its keys; Down goes to the results.</source>
        <translation>操作、其菜单或其按键的名称；按向下键转到结果。</translation>
    </message>
    <message>
        <source>Compare, sweep, measure: start</source>
        <translation>比较、扫描、测量：开始</translation>
    </message>
    <message>
        <source>F5</source>
        <translation>F5</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SweepPage</name>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>最优</translation>
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
        <source>Ratios</source>
        <translation>压缩比</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>预算</translation>
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
        <source>KL, nats</source>
        <translation>KL（奈特）</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>要求</translation>
    </message>
    <message>
        <source>Same top token</source>
        <translation>最可能词元相同</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>待测</translation>
    </message>
    <message>
        <source>slots per head, e.g. 512, 1024</source>
        <translation>每头槽位，如 512, 1024</translation>
    </message>
    <message>
        <source>Compression ratios, e.g. 2, 4, 8</source>
        <translation>压缩比，如 2, 4, 8</translation>
    </message>
    <message>
        <source>Every method at every size, on a copy of the cache of each answer of this conversation. Other settings are the current ones.</source>
        <translation>在此对话每个回答的缓存副本上，测试每种方法的每种大小。其他设置同当前。</translation>
    </message>
    <message>
        <source>Vertical axis</source>
        <translation>纵轴</translation>
    </message>
    <message>
        <source>Stopped: %1 of %2 settings tried.</source>
        <translation>已停止：已尝试 %1 组，共 %2 组设置。</translation>
    </message>
    <message>
        <source>Settings without results: %1. They evicted nothing because the answers are too short for them; sweep a longer conversation.</source>
        <translation>没有结果的设置：%1。它们没有驱逐任何内容，因为回答太短；请扫描更长的对话。</translation>
    </message>
    <message>
        <source>Bytes kept</source>
        <translation>保留的字节</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SystemPromptDialog</name>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>System prompt of this conversation</source>
        <translation>此对话的系统提示词</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Save as...</source>
        <translation>另存为...</translation>
    </message>
    <message>
        <source>Use the selected prompt for new conversations</source>
        <translation>将所选提示词用于新对话</translation>
    </message>
    <message>
        <source>Saved system prompts</source>
        <translation>已保存的系统提示词</translation>
    </message>
    <message>
        <source>No system prompt</source>
        <translation>无系统提示词</translation>
    </message>
    <message>
        <source>Save this text under a name, for other conversations</source>
        <translation>以某个名称保存此文本，供其他对话使用</translation>
    </message>
    <message>
        <source>Remove the selected saved prompt</source>
        <translation>移除所选的已保存提示词</translation>
    </message>
    <message>
        <source>Instructions that the model reads before this conversation. Other conversations keep theirs.</source>
        <translation>模型在此对话之前读取的指令。其他对话保持各自的指令。</translation>
    </message>
    <message>
        <source>None saved yet</source>
        <translation>尚未保存</translation>
    </message>
    <message>
        <source>Saved prompts</source>
        <translation>已保存的提示词</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Existing conversations are not changed.</source>
        <translation>现有对话不会改变。</translation>
    </message>
    <message>
        <source>Choose a saved prompt first, or save this one.</source>
        <translation>请先选择一个已保存的提示词，或保存当前的。</translation>
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
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
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
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
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
        <source>recorded session</source>
        <translation>录制的会话</translation>
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
    <message>
        <source>Follow the newest steps, or freeze the view while recording continues (F8)</source>
        <translation>跟随最新步骤，或冻结画面而继续记录（F8）</translation>
    </message>
    <message>
        <source>Time range that all charts show</source>
        <translation>所有图表显示的时间范围</translation>
    </message>
    <message>
        <source>Horizontal axis: time, or tokens processed</source>
        <translation>横轴：时间或已处理词元</translation>
    </message>
    <message>
        <source>Show the focused chart, or all visible charts, as a table, and back (F4)</source>
        <translation>将拥有焦点的图表或所有可见图表显示为表格，再按返回（F4）</translation>
    </message>
    <message>
        <source>Save all samples as a CSV file</source>
        <translation>将所有样本保存为 CSV 文件</translation>
    </message>
    <message>
        <source>Table, samples as a file, picture, horizontal axis</source>
        <translation>表格、样本文件、图片、横轴</translation>
    </message>
    <message>
        <source>recording continues</source>
        <translation>记录继续</translation>
    </message>
    <message>
        <source>%1 samples skipped</source>
        <translation>跳过 %1 个样本</translation>
    </message>
    <message>
        <source>More charts</source>
        <translation>更多图表</translation>
    </message>
    <message>
        <source>Also show throughput, latency by stage, quality, prompt reuse and stored prefixes</source>
        <translation>同时显示吞吐量、各阶段延迟、质量、提示词复用和已存前缀</translation>
    </message>
    <message>
        <source>All conversations</source>
        <translation>所有对话</translation>
    </message>
    <message>
        <source>Show the caches and compactions of all conversations, not only of the one shown</source>
        <translation>显示所有对话的缓存和压缩，而不仅是当前对话</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ThoughtView</name>
    <message>
        <source>Show or hide the reasoning of the model</source>
        <translation>显示或隐藏模型的推理</translation>
    </message>
    <message>
        <source>Reasoning of the model</source>
        <translation>模型的推理</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimeBar</name>
    <message>
        <source>Recorded session</source>
        <translation>录制的会话</translation>
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
        <source>Close session</source>
        <translation>关闭会话</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>上一个标记</translation>
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
        <source>Recorded session %1</source>
        <translation>录制的会话 %1</translation>
    </message>
    <message>
        <source>Recorded session %1, with %2</source>
        <translation>录制的会话 %1，使用 %2</translation>
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
        <source>Stop replay</source>
        <translation>停止重放</translation>
    </message>
    <message>
        <source>Replaying: answer %1 of %2.</source>
        <translation>正在重放：第 %1 个回答，共 %2 个。</translation>
    </message>
    <message>
        <source>Position in the session</source>
        <translation>会话中的位置</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys for one step, Page Up and Page Down for the previous and next question or compaction, Home and End for the ends. Space plays.</source>
        <translation>拖动，或用方向键走一步，Page Up 和 Page Down 到上一个和下一个问题或压缩，Home 和 End 到两端。空格键播放。</translation>
    </message>
    <message>
        <source>Run the session again with the same model and settings, and check that the text is the same. The live session continues.</source>
        <translation>用同样的模型和设置再次运行此会话，并检查文本是否相同。当前会话继续。</translation>
    </message>
    <message>
        <source>Return to the live session.</source>
        <translation>返回当前会话。</translation>
    </message>
    <message>
        <source>Go to the previous question or compaction (Page Up)</source>
        <translation>到上一个问题或压缩（Page Up）</translation>
    </message>
    <message>
        <source>Go to the next question or compaction (Page Down)</source>
        <translation>到下一个问题或压缩（Page Down）</translation>
    </message>
    <message>
        <source>Playback speed; time without steps is skipped.</source>
        <translation>播放速度；没有步骤的时间会跳过。</translation>
    </message>
    <message>
        <source>Playback speed</source>
        <translation>播放速度</translation>
    </message>
    <message>
        <source>The most recently active</source>
        <translation>最近活动的对话</translation>
    </message>
    <message>
        <source>Pause the session at this moment (Space)</source>
        <translation>在此刻暂停会话（空格）</translation>
    </message>
    <message>
        <source>Replaying: loading the model.</source>
        <translation>正在重放：加载模型。</translation>
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
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
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
        <source>Timeline</source>
        <translation>时间线</translation>
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
        <source>Words that an event must contain</source>
        <translation>事件中必须包含的词</translation>
    </message>
    <message>
        <source>Events of the session appear here: models, answers, settings, compactions.</source>
        <translation>会话的事件显示在这里：模型、回答、设置、压缩。</translation>
    </message>
    <message>
        <source>Details of the selected event</source>
        <translation>所选事件的详情</translation>
    </message>
    <message>
        <source>, %1 older ones dropped</source>
        <translation>，%1 个较旧的已移除</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the selected rows, or all rows shown.</source>
        <translation>复制选中的行，或所有显示的行。</translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>This run writes no log to disk.</source>
        <translation>本次运行不写日志到磁盘。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::VerdictStrip</name>
    <message>
        <source>Show the charts of memory and compactions</source>
        <translation>显示内存和压缩图表</translation>
    </message>
    <message>
        <source>Share of the text&apos;s information that the compacted cache keeps, measured by repeating the text, next to the loss limit. Click for the quality charts.</source>
        <translation>压缩后的缓存保留的文本信息比例（通过复述文本测量），与损失上限对照。点击查看质量图表。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Limit the loss, and measure from the next compaction on what is kept</source>
        <translation>限制损失，并从下次压缩起测量保留的信息</translation>
    </message>
    <message>
        <source>Measure the loss of compaction</source>
        <translation>测量压缩的损失</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Hide the charts</source>
        <translation>隐藏图表</translation>
    </message>
    <message>
        <source>Show the charts</source>
        <translation>显示图表</translation>
    </message>
    <message>
        <source>Opens the charts of memory and compactions.</source>
        <translation>打开内存和压缩图表。</translation>
    </message>
    <message>
        <source>Opens the charts of quality.</source>
        <translation>打开质量图表。</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WelcomePage</name>
    <message>
        <source>What now?</source>
        <translation>接下来做什么？</translation>
    </message>
    <message>
        <source>Load a model</source>
        <translation>加载模型</translation>
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
        <source>Compare two settings...</source>
        <translation>比较两组设置...</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>20 秒演示</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Type below and press Enter. You can paste or drop a long text and then ask about it.</source>
        <translation>在下方输入并按回车。可以粘贴或拖入长文本，然后就其提问。</translation>
    </message>
    <message>
        <source>Any GGUF file, or a folder with safetensors. Your conversations stay. You can also connect to a remote engine.</source>
        <translation>任何 GGUF 文件，或含 safetensors 的文件夹。您的对话会保留。也可以连接远程引擎。</translation>
    </message>
    <message>
        <source>The bundled model is small (135 million parameters). It can chat a little in English, answer simple questions, write a short story or a small function, and find facts in up to 8,000 tokens of your text. It speaks no other languages and knows few facts: treat what it says as a guess, and load a larger model for more.</source>
        <translation>自带的模型很小（1.35 亿参数）。它能用英语简单交谈，回答简单问题，写短故事或小函数，并在最多 8,000 个词元的文本中找到事实。它不会其他语言，知道的事实很少：请把它说的当作猜测，需要更多请加载更大的模型。</translation>
    </message>
    <message>
        <source>Choose a profile (Full, Balanced or Frugal), or move the ratio and see in the charts what it costs and saves.</source>
        <translation>选择一个方案（完整、均衡或节省），或移动压缩比，在图表中查看其代价与节省。</translation>
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
        <source>Rename conversation...</source>
        <translation>重命名对话...</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>删除对话</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>搜索对话</translation>
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
        <source>Connect to an engine...</source>
        <translation>连接引擎...</translation>
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
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
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
        <source>Reset settings</source>
        <translation>重置设置</translation>
    </message>
    <message>
        <source>Undo setting</source>
        <translation>撤销设置</translation>
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
        <source>Quality of this model...</source>
        <translation>此模型的质量...</translation>
    </message>
    <message>
        <source>Cache formats of this model...</source>
        <translation>此模型的缓存格式...</translation>
    </message>
    <message>
        <source>Memory...</source>
        <translation>记忆...</translation>
    </message>
    <message>
        <source>Server...</source>
        <translation>服务器...</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>转到%1</translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation>下一个面板</translation>
    </message>
    <message>
        <source>Pause charts</source>
        <translation>暂停图表</translation>
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
        <source>Follow the light or dark theme of the system.</source>
        <translation>跟随系统的浅色或深色主题。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
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
        <source>Copy last code</source>
        <translation>复制最后的代码</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
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
        <source>Attach texts, source code or PDFs to the next question.</source>
        <translation>将文本、源代码或 PDF 附加到下一个问题。</translation>
    </message>
    <message>
        <source>Open report...</source>
        <translation>打开报告...</translation>
    </message>
    <message>
        <source>Close recorded session</source>
        <translation>关闭录制的会话</translation>
    </message>
    <message>
        <source>What now?</source>
        <translation>接下来做什么？</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>20 秒演示</translation>
    </message>
    <message>
        <source>Event log</source>
        <translation>事件日志</translation>
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
        <source>Save cache...</source>
        <translation>保存缓存...</translation>
    </message>
    <message>
        <source>Load cache...</source>
        <translation>加载缓存...</translation>
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
        <source>This text cannot be changed.</source>
        <translation>此文本无法更改。</translation>
    </message>
    <message>
        <source>Measure the precision</source>
        <translation>测量精度</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>跳过测量</translation>
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
        <source>Skip fitting</source>
        <translation>跳过拟合</translation>
    </message>
    <message>
        <source>A surrogate is being fitted.</source>
        <translation>正在拟合代理。</translation>
    </message>
    <message>
        <source>No surrogate is being fitted.</source>
        <translation>没有正在拟合代理。</translation>
    </message>
    <message>
        <source>Save this session to a folder as JSON (replayable), PDF, HTML, Markdown, CSV or charts.</source>
        <translation>将此会话以 JSON (可重放)、PDF、HTML、Markdown、CSV 或图表保存到文件夹。</translation>
    </message>
    <message>
        <source>Open a recorded session in this window, step through it and run it again.</source>
        <translation>在此窗口中打开录制的会话，逐步浏览并再次运行。</translation>
    </message>
    <message>
        <source>Return to the live session.</source>
        <translation>返回当前会话。</translation>
    </message>
    <message>
        <source>Undo the last change of the text.</source>
        <translation>撤销文本的上一次更改。</translation>
    </message>
    <message>
        <source>Redo the change that was undone.</source>
        <translation>重做被撤销的更改。</translation>
    </message>
    <message>
        <source>Cut the selected text to the clipboard.</source>
        <translation>将选中的文字剪切到剪贴板。</translation>
    </message>
    <message>
        <source>Copy the selected text to the clipboard.</source>
        <translation>将选中的文字复制到剪贴板。</translation>
    </message>
    <message>
        <source>Paste the text from the clipboard.</source>
        <translation>粘贴剪贴板中的文本。</translation>
    </message>
    <message>
        <source>Select the whole text.</source>
        <translation>选中全部文本。</translation>
    </message>
    <message>
        <source>Click into a text field first.</source>
        <translation>请先点击文本框。</translation>
    </message>
    <message>
        <source>Copy the text of the last answer.</source>
        <translation>复制最后一个回答的文本。</translation>
    </message>
    <message>
        <source>Copy the last code block of the last answer.</source>
        <translation>复制最后一个回答的最后一个代码块。</translation>
    </message>
    <message>
        <source>Change the title of this conversation.</source>
        <translation>为此对话更改标题。</translation>
    </message>
    <message>
        <source>Delete this conversation and release its cache; can be undone.</source>
        <translation>删除此对话并释放其缓存；可以撤销。</translation>
    </message>
    <message>
        <source>Restore the conversation deleted last.</source>
        <translation>恢复最近删除的对话。</translation>
    </message>
    <message>
        <source>Find words in this conversation and step through the matches.</source>
        <translation>在此对话中查找词语并逐个浏览匹配。</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>Go to the next match.</source>
        <translation>转到下一个匹配。</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Go to the previous match.</source>
        <translation>转到上一个匹配。</translation>
    </message>
    <message>
        <source>Search the titles and messages of all conversations.</source>
        <translation>搜索所有对话的标题和消息。</translation>
    </message>
    <message>
        <source>Models on this machine and whether they fit, downloads, draft models, calibration, conversion.</source>
        <translation>本机上的模型及能否放下、下载、草稿模型、校准、转换。</translation>
    </message>
    <message>
        <source>Show the details of a model file without loading it.</source>
        <translation>显示模型文件的详情而不加载。</translation>
    </message>
    <message>
        <source>Measure again, between answers, which arithmetic precision this model needs.</source>
        <translation>在回答之间重新测量此模型需要哪种计算精度。</translation>
    </message>
    <message>
        <source>Skip measuring the precision: answers are computed with two 8-bit terms, which every model tolerates.</source>
        <translation>跳过精度测量：回答以两个 8 位项计算，任何模型都能承受。</translation>
    </message>
    <message>
        <source>Fit again, between answers, the surrogate that predicts which tokens of a text this model needs.</source>
        <translation>在回答之间重新拟合代理，它预测此模型需要文本中的哪些词元。</translation>
    </message>
    <message>
        <source>Skip fitting the surrogate: texts are repeated between answers to find out which of their tokens are needed.</source>
        <translation>跳过代理拟合：在回答之间复述文本，以确定需要其中哪些词元。</translation>
    </message>
    <message>
        <source>Let a remote engine answer: vLLM, SGLang, llama-server, another Lacuna or any server with an OpenAI-compatible API.</source>
        <translation>让远程引擎回答：vLLM、SGLang、llama-server、另一个 Lacuna 或任何具有 OpenAI 兼容 API 的服务器。</translation>
    </message>
    <message>
        <source>Unload the model and free its memory.</source>
        <translation>卸载模型并释放其内存。</translation>
    </message>
    <message>
        <source>Send the prompt.</source>
        <translation>发送提示词。</translation>
    </message>
    <message>
        <source>Stop the answer, the loading of a model, or a compaction in the background.</source>
        <translation>停止回答、模型加载或后台压缩。</translation>
    </message>
    <message>
        <source>Continue the last answer where it ended.</source>
        <translation>从最后一个回答结束处继续。</translation>
    </message>
    <message>
        <source>Instructions that the model reads before this conversation.</source>
        <translation>模型在此对话之前读取的指令。</translation>
    </message>
    <message>
        <source>Compact the cache of this conversation at the next token with the current settings.</source>
        <translation>在下一个词元时按当前设置压缩此对话的缓存。</translation>
    </message>
    <message>
        <source>Discard the compacted cache of this conversation and turn compression off: the next question reads the full text again.</source>
        <translation>丢弃此对话压缩后的缓存并关闭压缩：下个问题会重新读取全文。</translation>
    </message>
    <message>
        <source>Restore the selected evicted words and keep them in later compactions. The retention overlay shows which words are evicted.</source>
        <translation>恢复所选的被驱逐词语，并在以后的压缩中保留。“保留情况叠加”会显示哪些词语被驱逐。</translation>
    </message>
    <message>
        <source>Save the cache of this conversation to a file, so that its text need not be read again.</source>
        <translation>将此对话的缓存保存到文件，使其文本无需重读。</translation>
    </message>
    <message>
        <source>Load the cache of this conversation from a file; model and settings must match.</source>
        <translation>从文件加载此对话的缓存；模型和设置必须一致。</translation>
    </message>
    <message>
        <source>Restore the values that all settings had at program start.</source>
        <translation>将所有设置恢复为程序启动时的值。</translation>
    </message>
    <message>
        <source>Undo the last setting change or reset.</source>
        <translation>撤销最近一次设置更改或重置。</translation>
    </message>
    <message>
        <source>Freeze the charts; recording continues.</source>
        <translation>冻结图表；记录继续。</translation>
    </message>
    <message>
        <source>Show the focused chart or map, or all visible ones, as a table, and back.</source>
        <translation>将拥有焦点的图表或图谱，或所有可见的，显示为表格，再按返回。</translation>
    </message>
    <message>
        <source>Switch between light and dark.</source>
        <translation>在浅色与深色之间切换。</translation>
    </message>
    <message>
        <source>System theme</source>
        <translation>系统主题</translation>
    </message>
    <message>
        <source>Use this language from the next start of Lacuna.</source>
        <translation>从下次启动 Lacuna 起使用此语言。</translation>
    </message>
    <message>
        <source>Language from the next start of Lacuna: %1.</source>
        <translation>下次启动 Lacuna 起的语言：%1。</translation>
    </message>
    <message>
        <source>Try methods, ratios and budgets on this conversation and plot the cost and loss of each.</source>
        <translation>在此对话上试验各方法、压缩比和预算，并绘出各自的代价与损失。</translation>
    </message>
    <message>
        <source>Recall, RULER score and cost of every method at every ratio, for the model in use.</source>
        <translation>当前模型上各方法在各压缩比下的召回、RULER 成绩和代价。</translation>
    </message>
    <message>
        <source>Presets and bits of keys and values, and what each costs on the model in use: bytes, divergence, recall, speed.</source>
        <translation>键和值的预设与位数，以及在当前模型上的代价：字节、散度、召回、速度。</translation>
    </message>
    <message>
        <source>Prefixes stored in memory and on disk, what they saved, and how each conversation uses them.</source>
        <translation>内存和磁盘上存储的前缀、节省了多少，以及各对话如何使用。</translation>
    </message>
    <message>
        <source>Let other programs use the loaded model: switch the server on and off, watch its answers, copy client examples.</source>
        <translation>让其他程序使用已加载的模型：开关服务器、查看其回答、复制客户端示例。</translation>
    </message>
    <message>
        <source>Ways to continue: chat, load a model, tune; and what the bundled model can do.</source>
        <translation>接下来可以：对话、加载模型、调节；以及自带模型的能力。</translation>
    </message>
    <message>
        <source>The model reads a page and is asked for a fact; the cache is made four times smaller, and it is asked for another.</source>
        <translation>模型读一页文本并被问一个事实；缓存缩小到四分之一，再问另一个。</translation>
    </message>
    <message>
        <source>Full demo with report</source>
        <translation>完整演示，含报告</translation>
    </message>
    <message>
        <source>A short chat, then facts asked of a long text, with the full cache and with compacted ones; about two minutes.</source>
        <translation>先简短交谈，再就长文本询问事实：用完整缓存和压缩后的缓存；约两分钟。</translation>
    </message>
    <message>
        <source>No remote engine is connected.</source>
        <translation>未连接远程引擎。</translation>
    </message>
    <message>
        <source>This conversation is empty.</source>
        <translation>此对话为空。</translation>
    </message>
    <message>
        <source>Remote engine %1 answers this conversation.</source>
        <translation>远程引擎 %1 回答此对话。</translation>
    </message>
    <message>
        <source>Say hello, or paste a long text and ask about it: the charts show what its cache costs.

Help &gt; Demo in 20 seconds shows it; Help &gt; What now? lists ways to continue.</source>
        <translation>打个招呼，或粘贴一段长文本并就其提问：图表会显示其缓存的代价。

帮助 &gt; 20 秒演示会为您演示；帮助 &gt; 接下来做什么？列出如何继续。</translation>
    </message>
    <message>
        <source>Model &gt; Load the bundled model (Ctrl+Shift+O) loads the small model that ships with Lacuna; Models... lists and downloads others.</source>
        <translation>“模型”菜单的“加载自带模型”（Ctrl+Shift+O）加载 Lacuna 自带的小模型；“模型...”列出并下载其他模型。</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here is answered in parallel.</source>
        <translation>
            <numerusform>%1 和另外 %n 个对话正在回答；此处的问题会并行回答。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here waits for one of them.</source>
        <translation>
            <numerusform>%1 和另外 %n 个对话正在回答；此处的问题会等待其中一个。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is being answered; a question here is answered in parallel.</source>
        <translation>%1 正在回答；此处的问题会并行回答。</translation>
    </message>
    <message>
        <source>%1 is being answered; a question here waits for it.</source>
        <translation>%1 正在回答；此处的问题会等它结束。</translation>
    </message>
    <message>
        <source>Show the retention overlay first, then select words in it.</source>
        <translation>请先显示保留情况叠加，再在其中选中词语。</translation>
    </message>
    <message>
        <source>Select evicted words first.</source>
        <translation>请先选中被驱逐的词语。</translation>
    </message>
    <message>
        <source>The cache holds all of the selected words.</source>
        <translation>缓存保留了所有选中的词语。</translation>
    </message>
    <message>
        <source>The cache was discarded and compression is off. The next question reads the full text again, about %1 tokens.</source>
        <translation>缓存已丢弃，压缩已关闭。下个问题会重新读取全文，约 %1 个词元。</translation>
    </message>
    <message>
        <source>The last answer has no code block.</source>
        <translation>最后一个回答没有代码块。</translation>
    </message>
    <message>
        <source>Restore full cache</source>
        <translation>恢复完整缓存</translation>
    </message>
    <message>
        <source>Show the page %1.</source>
        <translation>显示 %1 页面。</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示%1</translation>
    </message>
    <message>
        <source>Show or hide the %1 on the chat page.</source>
        <translation>在聊天页面显示或隐藏%1。</translation>
    </message>
    <message>
        <source>Show the %1 and move the focus there.</source>
        <translation>显示%1并将焦点移到那里。</translation>
    </message>
    <message>
        <source>Move the focus through the panels.</source>
        <translation>在各面板间移动焦点。</translation>
    </message>
    <message>
        <source>Restore words</source>
        <translation>恢复词语</translation>
    </message>
    <message>
        <source>The timeline: events of this session, and the program log of this run and earlier ones.</source>
        <translation>时间线：本次会话的事件，以及本次和以往运行的程序日志。</translation>
    </message>
    <message>
        <source>The cache of this conversation is empty: its text is read again with the next question.</source>
        <translation>此对话的缓存为空：其文本会在下次提问时重新读取。</translation>
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
        <source>The next question reads the full text again, about %1 tokens, because the start of the prompt changes.</source>
        <translation>下个问题会重新读取全文，约 %1 个词元，因为提示词的开头改变了。</translation>
    </message>
    <message>
        <source>Current settings of the window: %1. What is cached is compacted when the next answer needs it, or now with Compact now (F9).</source>
        <translation>窗口当前的设置：%1。已缓存的内容将在下一个回答需要时压缩，或用“立即压缩”（F9） 马上压缩。</translation>
    </message>
    <message>
        <source>Saved to %1.</source>
        <translation>已保存到 %1。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stored prefixes</source>
        <translation>已存前缀</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Local server</source>
        <translation>本地服务器</translation>
    </message>
    <message>
        <source>Remote engines</source>
        <translation>远程引擎</translation>
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
        <source>Restore and regenerate</source>
        <translation>恢复并重新回答</translation>
    </message>
</context>
</TS>
