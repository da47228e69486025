<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
 <context>
  <name>AbsentPage</name>
  <message>
   <source>Why there are no plots</source>
   <translation>为何没有图</translation>
  </message>
  <message>
   <source>Beware: {0}.</source>
   <translation>注意：{0}。</translation>
  </message>
  <message>
   <source>Measured by {0}</source>
   <translation>由 {0} 测得</translation>
  </message>
  <message>
   <source>another tool</source>
   <translation>另一工具</translation>
  </message>
  <message>
   <source>This run failed before anything was measured</source>
   <translation>这次运行在测得任何数据之前失败</translation>
  </message>
  <message>
   <source>This run was not measured</source>
   <translation>这次运行未测量</translation>
  </message>
  <message>
   <source>Nothing was recorded along this run</source>
   <translation>这次运行沿途未记录任何数据</translation>
  </message>
  <message>
   <source>Its result file holds figures of the whole run and nothing along it, so there is nothing to plot. This is what it states:</source>
   <translation>其结果文件只有整次运行的数字，沿途没有数据，因此无图可画。它所述如下：</translation>
  </message>
  <message>
   <source>The log says why.</source>
   <translation>日志说明原因。</translation>
  </message>
 </context>
 <context>
  <name>BaselineModel</name>
  <message>
   <source>Test</source>
   <translation>测试</translation>
  </message>
  <message>
   <source>Control</source>
   <translation>控制项</translation>
  </message>
  <message>
   <source>Baseline</source>
   <translation>基线</translation>
  </message>
  <message>
   <source>Exactly one control is under test: click to choose it</source>
   <translation>恰有一个控制项受测：点击以选择</translation>
  </message>
  <message>
   <source>under test</source>
   <translation>受测</translation>
  </message>
  <message>
   <source>not under test</source>
   <translation>未受测</translation>
  </message>
  <message>
   <source>default</source>
   <translation>默认</translation>
  </message>
 </context>
 <context>
  <name>BaselineView</name>
  <message>
   <source>Baseline controls</source>
   <translation>基线控制项</translation>
  </message>
 </context>
 <context>
  <name>BoundStrip</name>
  <message>
   <source>Which limit bound when</source>
   <translation>何时受哪个限制</translation>
  </message>
 </context>
 <context>
  <name>Chip</name>
  <message>
   <source>Remove {0}</source>
   <translation>移除 {0}</translation>
  </message>
 </context>
 <context>
  <name>ChipsEditor</name>
  <message>
   <source>add</source>
   <translation>添加</translation>
  </message>
  <message>
   <source>suggest</source>
   <translation>建议</translation>
  </message>
  <message>
   <source>Values worth trying first</source>
   <translation>值得先尝试的取值</translation>
  </message>
 </context>
 <context>
  <name>Closing</name>
  <message>
   <source>A plan is being carried out.</source>
   <translation>计划正在执行。</translation>
  </message>
  <message>
   <source>It can go on without the window; its results are then in
{0}
Stopping keeps what was measured so far and stops the server that was started for it.</source>
   <translation>它可在没有窗口时继续；结果保存在
{0}
停止将保留至今的测量结果，并停止为其启动的服务器。</translation>
  </message>
  <message>
   <source>Leave it running</source>
   <translation>让其继续运行</translation>
  </message>
  <message>
   <source>Stop it and close</source>
   <translation>停止并关闭</translation>
  </message>
  <message>
   <source>Keep the window</source>
   <translation>保留窗口</translation>
  </message>
 </context>
 <context>
  <name>CommandPalette</name>
  <message>
   <source>Find a command</source>
   <translation>查找命令</translation>
  </message>
  <message>
   <source>Type a part of its name</source>
   <translation>输入其名称的一部分</translation>
  </message>
  <message>
   <source>Commands</source>
   <translation>命令</translation>
  </message>
 </context>
 <context>
  <name>Commands</name>
  <message>
   <source>allow live limits</source>
   <translation>允许在线限制</translation>
  </message>
  <message>
   <source>&amp;Undo</source>
   <translation>撤销(&amp;U)</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>重做(&amp;R)</translation>
  </message>
  <message>
   <source>test {0} next</source>
   <translation>接着测试 {0}</translation>
  </message>
  <message>
   <source>The plan did not start: {0}</source>
   <translation>计划未能开始：{0}</translation>
  </message>
  <message>
   <source>The conductor {0} before the plan was done. {1} of {2} runs are kept in {3}. {4}</source>
   <translation>指挥进程在计划完成前结束({0})。{2} 次运行中的 {1} 次保存在 {3}。{4}</translation>
  </message>
  <message>
   <source>Run again</source>
   <translation>再次运行</translation>
  </message>
  <message>
   <source>Unsaved changes to {0} were kept when the window last ended.</source>
   <translation>窗口上次结束时保留了对 {0} 的未保存更改。</translation>
  </message>
  <message>
   <source>Bring them back</source>
   <translation>恢复它们</translation>
  </message>
  <message>
   <source>Throw them away</source>
   <translation>丢弃</translation>
  </message>
  <message>
   <source>kept changes</source>
   <translation>保留的更改</translation>
  </message>
  <message>
   <source>begin with my own</source>
   <translation>从我自己的开始</translation>
  </message>
 </context>
 <context>
  <name>ComparisonChart</name>
  <message>
   <source>Value of the control</source>
   <translation>控制项的取值</translation>
  </message>
  <message>
   <source>Upwards</source>
   <translation>纵轴</translation>
  </message>
  <message>
   <source>Across</source>
   <translation>横轴</translation>
  </message>
  <message>
   <source>over</source>
   <translation>对</translation>
  </message>
  <message>
   <source>Comparison of runs</source>
   <translation>运行对比</translation>
  </message>
  <message>
   <source>No run has both figures yet</source>
   <translation>尚无运行同时有这两个数字</translation>
  </message>
 </context>
 <context>
  <name>ControlForm</name>
  <message>
   <source>Values of the control under test</source>
   <translation>受测控制项的取值</translation>
  </message>
  <message>
   <source>Show all {0} controls</source>
   <translation>显示全部 {0} 个控制项</translation>
  </message>
  <message>
   <source>&amp;Values</source>
   <translation>取值(&amp;V)</translation>
  </message>
  <message>
   <source>default</source>
   <translation>默认</translation>
  </message>
  <message>
   <source>baseline {0} {1}</source>
   <translation>基线 {0} {1}</translation>
  </message>
  <message>
   <source>Now in all runs. Test {0} {1} instead</source>
   <translation>现已用于所有运行。改为测试 {0} {1}</translation>
  </message>
  <message>
   <source>test {0} {1}</source>
   <translation>测试 {0} {1}</translation>
  </message>
  <message>
   <source>test {0}</source>
   <translation>测试 {0}</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>values {0}</source>
   <translation>取值 {0}</translation>
  </message>
 </context>
 <context>
  <name>CostForm</name>
  <message>
   <source>an hour</source>
   <translation>每小时</translation>
  </message>
  <message>
   <source>not stated</source>
   <translation>未说明</translation>
  </message>
  <message>
   <source>on demand</source>
   <translation>按需</translation>
  </message>
  <message>
   <source>reserved</source>
   <translation>预留</translation>
  </message>
  <message>
   <source>spot</source>
   <translation>竞价</translation>
  </message>
  <message>
   <source>rental</source>
   <translation>租用</translation>
  </message>
  <message>
   <source>purchase</source>
   <translation>购买</translation>
  </message>
  <message>
   <source>offer or price list</source>
   <translation>报价或价目表</translation>
  </message>
  <message>
   <source>&amp;Price</source>
   <translation>价格(&amp;P)</translation>
  </message>
  <message>
   <source>Of the whole server</source>
   <translation>整台服务器的价格</translation>
  </message>
  <message>
   <source>C&amp;urrency</source>
   <translation>货币(&amp;U)</translation>
  </message>
  <message>
   <source>ISO 4217, such as EUR</source>
   <translation>ISO 4217，如 EUR</translation>
  </message>
  <message>
   <source>&amp;Basis</source>
   <translation>计价方式(&amp;B)</translation>
  </message>
  <message>
   <source>&amp;Seen on</source>
   <translation>查看日期(&amp;S)</translation>
  </message>
  <message>
   <source>Prices age</source>
   <translation>价格会过时</translation>
  </message>
  <message>
   <source>S&amp;ource</source>
   <translation>来源(&amp;O)</translation>
  </message>
  <message>
   <source>For whoever checks it</source>
   <translation>供核查者使用</translation>
  </message>
  <message>
   <source>price {0}</source>
   <translation>价格 {0}</translation>
  </message>
  <message>
   <source>currency {0}</source>
   <translation>货币 {0}</translation>
  </message>
  <message>
   <source>price basis {0}</source>
   <translation>计价方式 {0}</translation>
  </message>
  <message>
   <source>price seen {0}</source>
   <translation>价格日期 {0}</translation>
  </message>
  <message>
   <source>price source</source>
   <translation>价格来源</translation>
  </message>
  <message>
   <source>{0} {1} an hour</source>
   <translation>每小时 {0} {1}</translation>
  </message>
 </context>
 <context>
  <name>DemoBanner</name>
  <message>
   <source>End</source>
   <translation>结束</translation>
  </message>
  <message>
   <source>Slower</source>
   <translation>放慢</translation>
  </message>
  <message>
   <source>Faster</source>
   <translation>加快</translation>
  </message>
  <message>
   <source>Demo</source>
   <translation>演示</translation>
  </message>
  <message>
   <source>Show it (Space)</source>
   <translation>放映(空格)</translation>
  </message>
  <message>
   <source>To its end (Space)</source>
   <translation>直到结束(空格)</translation>
  </message>
  <message>
   <source>What it means (Space)</source>
   <translation>说明含义(空格)</translation>
  </message>
  <message>
   <source>Next (Space)</source>
   <translation>下一个(空格)</translation>
  </message>
  <message>
   <source>End (Space)</source>
   <translation>结束(空格)</translation>
  </message>
  <message>
   <source>{0} × real time</source>
   <translation>{0} × 实时</translation>
  </message>
 </context>
 <context>
  <name>Documents</name>
  <message>
   <source>Open experiment</source>
   <translation>打开实验</translation>
  </message>
  <message>
   <source>Open bench file</source>
   <translation>打开基准文件</translation>
  </message>
  <message>
   <source>Bench files (*.bench);;All files (*)</source>
   <translation>基准文件 (*.bench);;所有文件 (*)</translation>
  </message>
  <message>
   <source>trace {0}</source>
   <translation>轨迹 {0}</translation>
  </message>
  <message>
   <source>Name its columns…</source>
   <translation>指定各列…</translation>
  </message>
  <message>
   <source>Experiments (*.toml);;All files (*)</source>
   <translation>实验 (*.toml);;所有文件 (*)</translation>
  </message>
  <message>
   <source>Save experiment</source>
   <translation>保存实验</translation>
  </message>
  <message>
   <source>Not saved: {0}</source>
   <translation>未保存：{0}</translation>
  </message>
  <message>
   <source>Save the changes to {0}?</source>
   <translation>保存对 {0} 的更改？</translation>
  </message>
  <message>
   <source>Without saving they are lost.</source>
   <translation>不保存则会丢失。</translation>
  </message>
  <message>
   <source>Save</source>
   <translation>保存</translation>
  </message>
  <message>
   <source>Discard</source>
   <translation>放弃</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>Clear list</source>
   <translation>清空列表</translation>
  </message>
  <message>
   <source>No files yet</source>
   <translation>尚无文件</translation>
  </message>
 </context>
 <context>
  <name>Editor</name>
  <message>
   <source>{0} copy</source>
   <translation>{0} 副本</translation>
  </message>
  <message>
   <source>duplicate</source>
   <translation>复制一份</translation>
  </message>
 </context>
 <context>
  <name>Examination</name>
  <message>
   <source>The look around ended without a word.</source>
   <translation>查看无声地结束了。</translation>
  </message>
 </context>
 <context>
  <name>ExperimentPanel</name>
  <message>
   <source>Run plan</source>
   <translation>运行计划</translation>
  </message>
  <message>
   <source>name {0}</source>
   <translation>名称 {0}</translation>
  </message>
  <message>
   <source>&amp;Name</source>
   <translation>名称(&amp;N)</translation>
  </message>
  <message>
   <source>Server</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>Workload</source>
   <translation>负载内容</translation>
  </message>
  <message>
   <source>Control under test</source>
   <translation>受测控制项</translation>
  </message>
  <message>
   <source>Load</source>
   <translation>负载</translation>
  </message>
  <message>
   <source>Objectives</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>Cost</source>
   <translation>成本</translation>
  </message>
  <message>
   <source>Go to the field</source>
   <translation>转到该字段</translation>
  </message>
  <message>
   <source>⚠ 1 thing to mend</source>
   <translation>⚠ 1 处待修正</translation>
  </message>
  <message>
   <source>⚠ {0} things to mend</source>
   <translation>⚠ {0} 处待修正</translation>
  </message>
  <message>
   <source>from the bench file</source>
   <translation>来自基准文件</translation>
  </message>
 </context>
 <context>
  <name>Export</name>
  <message>
   <source>{0}: choose one of {1}</source>
   <translation>{0}:请选择 {1} 之一</translation>
  </message>
 </context>
 <context>
  <name>FindingsView</name>
  <message>
   <source>This machine</source>
   <translation>本机</translation>
  </message>
  <message>
   <source>Look again</source>
   <translation>重新查看</translation>
  </message>
  <message>
   <source>End left-over servers</source>
   <translation>结束遗留的服务器</translation>
  </message>
  <message>
   <source>Only servers that this program started and whose owner is gone</source>
   <translation>仅限由本程序启动且其所有者已消失的服务器</translation>
  </message>
  <message>
   <source>Looking around …</source>
   <translation>正在查看 …</translation>
  </message>
 </context>
 <context>
  <name>HappeningPanel</name>
  <message>
   <source>Next single change</source>
   <translation>下一个单项更改</translation>
  </message>
  <message>
   <source>Test this next</source>
   <translation>接着测试它</translation>
  </message>
  <message>
   <source>What is happening</source>
   <translation>正在发生什么</translation>
  </message>
  <message>
   <source>, so far</source>
   <translation>，至今</translation>
  </message>
  <message>
   <source>It may cost: {0}.</source>
   <translation>可能的代价：{0}。</translation>
  </message>
  <message>
   <source>The next experiment: this run's settings as its baseline, {0} under test</source>
   <translation>下一个实验：以本次运行的设置为基线，测试 {0}</translation>
  </message>
  <message>
   <source>Less</source>
   <translation>收起</translation>
  </message>
  <message>
   <source>Evidence and details</source>
   <translation>证据与细节</translation>
  </message>
 </context>
 <context>
  <name>HelpCommands</name>
  <message>
   <source>Apache-2.0. Qt is used under the LGPL.</source>
   <translation>Apache-2.0。Qt 依据 LGPL 使用。</translation>
  </message>
  <message>
   <source>About vLLM Workbench</source>
   <translation>关于 vLLM Workbench</translation>
  </message>
 </context>
 <context>
  <name>KindRows</name>
  <message>
   <source>Open bench file</source>
   <translation>打开基准文件</translation>
  </message>
  <message>
   <source>Bench files (*.bench);;All files (*)</source>
   <translation>基准文件 (*.bench);;所有文件 (*)</translation>
  </message>
  <message>
   <source>value</source>
   <translation>取值</translation>
  </message>
  <message>
   <source>burst {0} ×</source>
   <translation>突发 {0} ×</translation>
  </message>
  <message>
   <source>burst for {0} s</source>
   <translation>突发持续 {0} s</translation>
  </message>
  <message>
   <source>burst at {0} s</source>
   <translation>突发始于 {0} s</translation>
  </message>
  <message>
   <source>blocks of {0} s</source>
   <translation>每段 {0} s</translation>
  </message>
  <message>
   <source>wash-out {0} s</source>
   <translation>过渡 {0} s</translation>
  </message>
  <message>
   <source>stop when it is too much</source>
   <translation>过载时停止</translation>
  </message>
  <message>
   <source>&amp;Bench file</source>
   <translation>基准文件(&amp;B)</translation>
  </message>
  <message>
   <source>Its plan is measured again and compared</source>
   <translation>重新测量其计划并比较</translation>
  </message>
  <message>
   <source>Second control</source>
   <translation>第二个控制项</translation>
  </message>
  <message>
   <source>Value of the second control</source>
   <translation>第二个控制项的取值</translation>
  </message>
  <message>
   <source>&amp;With</source>
   <translation>搭配(&amp;W)</translation>
  </message>
  <message>
   <source>The other control of the pair: each alone, and both together</source>
   <translation>这一对中的另一控制项：各自单独，及二者一起</translation>
  </message>
  <message>
   <source>Burst o&amp;f</source>
   <translation>突发倍数(&amp;F)</translation>
  </message>
  <message>
   <source>Times the normal rate</source>
   <translation>正常速率的倍数</translation>
  </message>
  <message>
   <source>Burst fo&amp;r</source>
   <translation>突发时长(&amp;R)</translation>
  </message>
  <message>
   <source>Length of the burst</source>
   <translation>突发的长度</translation>
  </message>
  <message>
   <source>Burst a&amp;t</source>
   <translation>突发时刻(&amp;T)</translation>
  </message>
  <message>
   <source>Seconds from the run's start to the burst's</source>
   <translation>从运行开始到突发的秒数</translation>
  </message>
  <message>
   <source>Bloc&amp;ks of</source>
   <translation>每段长(&amp;K)</translation>
  </message>
  <message>
   <source>The value changes so often, back and forth</source>
   <translation>取值以此间隔来回切换</translation>
  </message>
  <message>
   <source>&amp;Wash-out</source>
   <translation>过渡期(&amp;W)</translation>
  </message>
  <message>
   <source>What is due so soon after a change is left out</source>
   <translation>切换后此时间内到期的请求不计</translation>
  </message>
  <message>
   <source>Lowest rate</source>
   <translation>最低速率</translation>
  </message>
  <message>
   <source>Highest rate</source>
   <translation>最高速率</translation>
  </message>
  <message>
   <source>Factor between rates</source>
   <translation>速率之间的系数</translation>
  </message>
  <message>
   <source>Req/s</source>
   <translation>请求/s</translation>
  </message>
  <message>
   <source>From, to, and the factor between two rates</source>
   <translation>起、止，以及相邻速率之间的系数</translation>
  </message>
  <message>
   <source>Rates rise until one can't be held; then the last step is cut in two, to find the capacity</source>
   <translation>速率递增直到无法承受；然后二分最后一步以求容量</translation>
  </message>
  <message>
   <source>bench file</source>
   <translation>基准文件</translation>
  </message>
  <message>
   <source>ladder of rates</source>
   <translation>速率阶梯</translation>
  </message>
  <message>
   <source>all rates</source>
   <translation>所有速率</translation>
  </message>
  <message>
   <source>with {0}</source>
   <translation>搭配 {0}</translation>
  </message>
 </context>
 <context>
  <name>LanguageSwitch</name>
  <message>
   <source>The language changes once nothing is being carried out.</source>
   <translation>待没有计划在执行时即切换语言。</translation>
  </message>
  <message>
   <source>Nothing is being carried out any more: the language can change.</source>
   <translation>已没有计划在执行：可以切换语言了。</translation>
  </message>
  <message>
   <source>Change it now</source>
   <translation>现在切换</translation>
  </message>
 </context>
 <context>
  <name>LifeView</name>
  <message>
   <source>client</source>
   <translation>客户端</translation>
  </message>
  <message>
   <source>queue</source>
   <translation>排队</translation>
  </message>
  <message>
   <source>prefill</source>
   <translation>预填充</translation>
  </message>
  <message>
   <source>outside</source>
   <translation>引擎之外</translation>
  </message>
  <message>
   <source>first token awaited</source>
   <translation>等待首个 token</translation>
  </message>
  <message>
   <source>decode</source>
   <translation>解码</translation>
  </message>
  <message>
   <source>still open</source>
   <translation>仍未结束</translation>
  </message>
  <message>
   <source>Life of the chosen requests</source>
   <translation>所选请求的历程</translation>
  </message>
  <message>
   <source>No. {0}, due at {1} s</source>
   <translation>编号 {0}，{1} s 到期</translation>
  </message>
  <message>
   <source>Choose requests in the table to see what their time went into.</source>
   <translation>在表中选择请求，查看其时间花在何处。</translation>
  </message>
 </context>
 <context>
  <name>LiveStrip</name>
  <message>
   <source>Allow from the next plan on</source>
   <translation>从下一计划起允许</translation>
  </message>
  <message>
   <source>Limits of the running server</source>
   <translation>运行中服务器的限制</translation>
  </message>
  <message>
   <source>not told by this server</source>
   <translation>此服务器未告知</translation>
  </message>
  <message>
   <source>This server was started without limits that can be changed while it runs.</source>
   <translation>此服务器启动时未启用可在运行中更改的限制。</translation>
  </message>
  <message>
   <source>Can't be changed while it runs: {0}.</source>
   <translation>运行时不可更改：{0}。</translation>
  </message>
  <message>
   <source>Holds from the next step on; the run is invalid then.</source>
   <translation>自下一步起生效；该运行随之无效。</translation>
  </message>
  <message>
   <source>Sliders stand here while a server runs that can change limits without a restart.</source>
   <translation>当运行中的服务器可不重启而更改限制时，此处出现滑块。</translation>
  </message>
 </context>
 <context>
  <name>LoadForm</name>
  <message>
   <source>My own</source>
   <translation>自定义</translation>
  </message>
  <message>
   <source>At given rates</source>
   <translation>按给定速率</translation>
  </message>
  <message>
   <source>At rates that rise</source>
   <translation>按递增速率</translation>
  </message>
  <message>
   <source>At given concurrency</source>
   <translation>按给定并发</translation>
  </message>
  <message>
   <source>At the trace's own times</source>
   <translation>按轨迹自身的时间</translation>
  </message>
  <message>
   <source>Rates in requests a second</source>
   <translation>速率(每秒请求数)</translation>
  </message>
  <message>
   <source>Requests open at once</source>
   <translation>同时打开的请求数</translation>
  </message>
  <message>
   <source>seconds</source>
   <translation>秒</translation>
  </message>
  <message>
   <source>requests</source>
   <translation>请求数</translation>
  </message>
  <message>
   <source>Poisson</source>
   <translation>泊松</translation>
  </message>
  <message>
   <source>evenly spaced</source>
   <translation>均匀间隔</translation>
  </message>
  <message>
   <source>bursty (gamma)</source>
   <translation>成簇(伽马)</translation>
  </message>
  <message>
   <source>as in the trace, scaled</source>
   <translation>同轨迹，经缩放</translation>
  </message>
  <message>
   <source>even</source>
   <translation>均匀</translation>
  </message>
  <message>
   <source>open</source>
   <translation>个未完成</translation>
  </message>
  <message>
   <source>no cap</source>
   <translation>无上限</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>One rate</source>
   <translation>单一速率</translation>
  </message>
  <message>
   <source>Ladder of rates</source>
   <translation>速率阶梯</translation>
  </message>
  <message>
   <source>Burst</source>
   <translation>突发</translation>
  </message>
  <message>
   <source>Soak (half an hour)</source>
   <translation>长稳(半小时)</translation>
  </message>
  <message>
   <source>Three repeats</source>
   <translation>重复三次</translation>
  </message>
  <message>
   <source>Confirm a pair (2 × 2)</source>
   <translation>确认一对(2 × 2)</translation>
  </message>
  <message>
   <source>Switchback on one server</source>
   <translation>单服务器交替切换</translation>
  </message>
  <message>
   <source>A bench file, again</source>
   <translation>重测基准文件</translation>
  </message>
  <message>
   <source>&amp;Kind</source>
   <translation>类型(&amp;K)</translation>
  </message>
  <message>
   <source>Sets the fields below for a purpose</source>
   <translation>按用途设置下面的字段</translation>
  </message>
  <message>
   <source>&amp;Arrive</source>
   <translation>到达(&amp;A)</translation>
  </message>
  <message>
   <source>Rates are offered whether or not the server keeps up</source>
   <translation>无论服务器是否跟得上都按此速率给出</translation>
  </message>
  <message>
   <source>Req/&amp;s</source>
   <translation>请求/s(&amp;S)</translation>
  </message>
  <message>
   <source>Requests a second; each rate is a run of its own</source>
   <translation>每秒请求数；每个速率为一次单独的运行</translation>
  </message>
  <message>
   <source>&amp;Open</source>
   <translation>打开(&amp;O)</translation>
  </message>
  <message>
   <source>Each number is a run of its own</source>
   <translation>每个数为一次单独的运行</translation>
  </message>
  <message>
   <source>&amp;Each run</source>
   <translation>每次运行(&amp;E)</translation>
  </message>
  <message>
   <source>Open requests may end after it</source>
   <translation>未结束的请求可在此之后结束</translation>
  </message>
  <message>
   <source>Warm-&amp;up</source>
   <translation>预热(&amp;U)</translation>
  </message>
  <message>
   <source>Requests before the measured window</source>
   <translation>测量窗口之前的请求</translation>
  </message>
  <message>
   <source>Spac&amp;ing</source>
   <translation>间隔(&amp;I)</translation>
  </message>
  <message>
   <source>How arrivals are spread at the given rate</source>
   <translation>在给定速率下到达如何分布</translation>
  </message>
  <message>
   <source>&amp;Burstiness</source>
   <translation>突发性(&amp;B)</translation>
  </message>
  <message>
   <source>1 is Poisson, less is burstier</source>
   <translation>1 为泊松，越小越成簇</translation>
  </message>
  <message>
   <source>Sh&amp;ape</source>
   <translation>形状(&amp;A)</translation>
  </message>
  <message>
   <source>ramp:FROM:TO:SECONDS, steps:RATE@SECONDS,… or bursts:BASE:PEAK:EVERY:FOR</source>
   <translation>ramp:FROM:TO:SECONDS、steps:RATE@SECONDS,… 或 bursts:BASE:PEAK:EVERY:FOR</translation>
  </message>
  <message>
   <source>Client &amp;cap</source>
   <translation>客户端上限(&amp;C)</translation>
  </message>
  <message>
   <source>Requests that the caller has open at once</source>
   <translation>调用方同时打开的请求</translation>
  </message>
  <message>
   <source>&amp;Give up after</source>
   <translation>放弃于(&amp;G)</translation>
  </message>
  <message>
   <source>Without a first token until then</source>
   <translation>届时仍无首个 token</translation>
  </message>
  <message>
   <source>Ti&amp;meout</source>
   <translation>超时(&amp;M)</translation>
  </message>
  <message>
   <source>A request unanswered so long after it was sent is given up, as callers do</source>
   <translation>发出后这么久仍未应答的请求被放弃，如调用方所为</translation>
  </message>
  <message>
   <source>Retr&amp;ies</source>
   <translation>重试(&amp;I)</translation>
  </message>
  <message>
   <source>Of a request that was rejected, or failed before its first token</source>
   <translation>针对被拒绝或在首个 token 之前失败的请求</translation>
  </message>
  <message>
   <source>Re&amp;peat</source>
   <translation>重复(&amp;P)</translation>
  </message>
  <message>
   <source>Interleaved, so that drift falls on all alike</source>
   <translation>交错进行，使漂移均摊</translation>
  </message>
  <message>
   <source>Duration in seconds</source>
   <translation>时长(秒)</translation>
  </message>
  <message>
   <source>Number of requests</source>
   <translation>请求数</translation>
  </message>
  <message>
   <source>Seconds or requests</source>
   <translation>秒数或请求数</translation>
  </message>
  <message>
   <source>rates {0}</source>
   <translation>速率 {0}</translation>
  </message>
  <message>
   <source>concurrency {0}</source>
   <translation>并发 {0}</translation>
  </message>
  <message>
   <source>runs bounded by {0}</source>
   <translation>运行以{0}为界</translation>
  </message>
  <message>
   <source>duration {0} s</source>
   <translation>时长 {0} s</translation>
  </message>
  <message>
   <source>{0} requests</source>
   <translation>{0} 个请求</translation>
  </message>
  <message>
   <source>warm-up {0} s</source>
   <translation>预热 {0} s</translation>
  </message>
  <message>
   <source>arrivals {0}</source>
   <translation>到达 {0}</translation>
  </message>
  <message>
   <source>burstiness {0}</source>
   <translation>突发性 {0}</translation>
  </message>
  <message>
   <source>shape {0}</source>
   <translation>形状 {0}</translation>
  </message>
  <message>
   <source>client cap {0}</source>
   <translation>客户端上限 {0}</translation>
  </message>
  <message>
   <source>give up after {0} s</source>
   <translation>{0} s 后放弃</translation>
  </message>
  <message>
   <source>timeout {0} s</source>
   <translation>超时 {0} s</translation>
  </message>
  <message>
   <source>{0} retries</source>
   <translation>重试 {0} 次</translation>
  </message>
  <message>
   <source>repeat {0}</source>
   <translation>重复 {0}</translation>
  </message>
  <message>
   <source>{0} req/s</source>
   <translation>{0} 请求/s</translation>
  </message>
  <message>
   <source>{0} to {1} req/s</source>
   <translation>{0} 至 {1} 请求/s</translation>
  </message>
  <message>
   <source>{0} at once</source>
   <translation>同时 {0} 个</translation>
  </message>
  <message>
   <source>the trace's times</source>
   <translation>轨迹的时间</translation>
  </message>
 </context>
 <context>
  <name>LogWidget</name>
  <message>
   <source>Copy</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>What the server and the conductor say stands here</source>
   <translation>服务器与指挥进程所说的话显示在此</translation>
  </message>
  <message>
   <source>Log</source>
   <translation>日志</translation>
  </message>
  <message>
   <source>Everything</source>
   <translation>全部</translation>
  </message>
  <message>
   <source>Warnings and errors</source>
   <translation>警告与错误</translation>
  </message>
  <message>
   <source>Errors</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>Least level</source>
   <translation>最低级别</translation>
  </message>
  <message>
   <source>Search the log</source>
   <translation>搜索日志</translation>
  </message>
  <message>
   <source>&amp;Show</source>
   <translation>显示(&amp;S)</translation>
  </message>
 </context>
 <context>
  <name>MainWindow</name>
  <message>
   <source>Open &amp;recent</source>
   <translation>打开最近的文件(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;Plots</source>
   <translation>图表(&amp;P)</translation>
  </message>
  <message>
   <source>Run</source>
   <translation>运行</translation>
  </message>
 </context>
 <context>
  <name>ManualReader</name>
  <message>
   <source>Manual</source>
   <translation>手册（英文）</translation>
  </message>
  <message>
   <source>Back</source>
   <translation>后退</translation>
  </message>
  <message>
   <source>Forward</source>
   <translation>前进</translation>
  </message>
  <message>
   <source>Previous match</source>
   <translation>上一处</translation>
  </message>
  <message>
   <source>Next match</source>
   <translation>下一处</translation>
  </message>
  <message>
   <source>Pages</source>
   <translation>页面</translation>
  </message>
  <message>
   <source>Page</source>
   <translation>页</translation>
  </message>
  <message>
   <source>Find on this page</source>
   <translation>在本页查找</translation>
  </message>
  <message>
   <source>Not in the manual: {0}</source>
   <translation>不在手册中：{0}</translation>
  </message>
  <message>
   <source>Not on this page</source>
   <translation>本页没有</translation>
  </message>
  <message>
   <source>The page {0} can't be read; install the program again.</source>
   <translation>页面 {0} 无法读取；请重新安装本程序。</translation>
  </message>
 </context>
 <context>
  <name>MappingForm</name>
  <message>
   <source>&amp;Arrives at</source>
   <translation>到达时间(&amp;A)</translation>
  </message>
  <message>
   <source>&amp;Prompt tokens</source>
   <translation>提示 token(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Output tokens</source>
   <translation>输出 token(&amp;O)</translation>
  </message>
  <message>
   <source>&amp;Class</source>
   <translation>类别(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Session</source>
   <translation>会话(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;Turn</source>
   <translation>轮次(&amp;T)</translation>
  </message>
  <message>
   <source>by its values</source>
   <translation>按其数值判断</translation>
  </message>
  <message>
   <source>seconds</source>
   <translation>秒</translation>
  </message>
  <message>
   <source>milliseconds</source>
   <translation>毫秒</translation>
  </message>
  <message>
   <source>microseconds</source>
   <translation>微秒</translation>
  </message>
  <message>
   <source>nanoseconds</source>
   <translation>纳秒</translation>
  </message>
  <message>
   <source>Time &amp;unit</source>
   <translation>时间单位(&amp;U)</translation>
  </message>
  <message>
   <source>First rows of the file</source>
   <translation>文件的前几行</translation>
  </message>
  <message>
   <source>choose</source>
   <translation>请选择</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>Choose the column that holds it.</source>
   <translation>请选择存放它的列。</translation>
  </message>
 </context>
 <context>
  <name>MessageBar</name>
  <message>
   <source>Messages</source>
   <translation>消息</translation>
  </message>
 </context>
 <context>
  <name>MixSliders</name>
  <message>
   <source>Chat</source>
   <translation>对话</translation>
  </message>
  <message>
   <source>Long context</source>
   <translation>长上下文</translation>
  </message>
  <message>
   <source>Agent</source>
   <translation>智能体</translation>
  </message>
  <message>
   <source>Short in, short out</source>
   <translation>短输入，短输出</translation>
  </message>
  <message>
   <source>Large prompts, moderate answers</source>
   <translation>长提示，中等回答</translation>
  </message>
  <message>
   <source>Repeated prefixes, many turns, cancellations, bursts</source>
   <translation>重复前缀、多轮、取消、突发</translation>
  </message>
  <message>
   <source>Weight of {0}</source>
   <translation>{0} 的权重</translation>
  </message>
  <message>
   <source>One kind of request there must be: raise another one first.</source>
   <translation>至少要有一种请求：请先调高另一种。</translation>
  </message>
 </context>
 <context>
  <name>NextForm</name>
  <message>
   <source>Values to test next</source>
   <translation>接着测试的取值</translation>
  </message>
  <message>
   <source>What was learnt here</source>
   <translation>在此学到什么</translation>
  </message>
  <message>
   <source>Make the next experiment</source>
   <translation>建立下一个实验</translation>
  </message>
  <message>
   <source>&amp;Baseline</source>
   <translation>基线(&amp;B)</translation>
  </message>
  <message>
   <source>What this experiment's finding is</source>
   <translation>此实验的发现</translation>
  </message>
  <message>
   <source>Then &amp;test</source>
   <translation>然后测试(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Note</source>
   <translation>备注(&amp;N)</translation>
  </message>
  <message>
   <source>{0} = {1} from now on</source>
   <translation>此后 {0} = {1}</translation>
  </message>
  <message>
   <source>as it was (a branch)</source>
   <translation>保持原样(分支)</translation>
  </message>
  <message>
   <source>Adopt and go on</source>
   <translation>采纳并继续</translation>
  </message>
  <message>
   <source>Branch</source>
   <translation>分支</translation>
  </message>
 </context>
 <context>
  <name>ObjectivesForm</name>
  <message>
   <source>&amp;Of</source>
   <translation>范围(&amp;O)</translation>
  </message>
  <message>
   <source>All requests, or a class of the trace</source>
   <translation>所有请求，或轨迹中的一个类别</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>p95 &amp;TTFT</source>
   <translation>p95 TTFT(&amp;T)</translation>
  </message>
  <message>
   <source>First token after the request was due; 95 of 100 requests must be quicker</source>
   <translation>从请求到期至首个 token;100 个请求中有 95 个须更快</translation>
  </message>
  <message>
   <source>p95 &amp;ITL</source>
   <translation>p95 ITL(&amp;I)</translation>
  </message>
  <message>
   <source>Gap between tokens</source>
   <translation>token 之间的间隔</translation>
  </message>
  <message>
   <source>p95 &amp;E2E</source>
   <translation>p95 E2E(&amp;E)</translation>
  </message>
  <message>
   <source>End of the request after it was due</source>
   <translation>从请求到期至其结束</translation>
  </message>
  <message>
   <source>p95 &amp;queue</source>
   <translation>p95 排队(&amp;Q)</translation>
  </message>
  <message>
   <source>Time in the server's queue until first scheduled</source>
   <translation>在服务器队列中直至首次调度的时间</translation>
  </message>
  <message>
   <source>E&amp;rrors</source>
   <translation>错误(&amp;R)</translation>
  </message>
  <message>
   <source>Failed, rejected, timed out or unfinished</source>
   <translation>失败、被拒绝、超时或未完成</translation>
  </message>
  <message>
   <source>Pree&amp;mptions</source>
   <translation>抢占(&amp;M)</translation>
  </message>
  <message>
   <source>Over the whole run</source>
   <translation>整个运行期间</translation>
  </message>
  <message>
   <source>All requests</source>
   <translation>所有请求</translation>
  </message>
  <message>
   <source>The trace has no class {0}; it has {1}.</source>
   <translation>轨迹中没有类别 {0}；它有 {1}。</translation>
  </message>
  <message>
   <source>queue</source>
   <translation>排队</translation>
  </message>
  <message>
   <source>errors</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>preemptions</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>objective {0} {1}</source>
   <translation>目标 {0} {1}</translation>
  </message>
 </context>
 <context>
  <name>Overlay</name>
  <message>
   <source>Bench files (*.bench);;All files (*)</source>
   <translation>基准文件 (*.bench);;所有文件 (*)</translation>
  </message>
  <message>
   <source>Earlier run behind the plots</source>
   <translation>以往运行作图表背景</translation>
  </message>
  <message>
   <source>{0} holds no finished run.</source>
   <translation>{0} 中没有已完成的运行。</translation>
  </message>
  <message>
   <source>Which run of {0}?</source>
   <translation>{0} 的哪次运行？</translation>
  </message>
 </context>
 <context>
  <name>PlanLabel</name>
  <message>
   <source>Next plan: that of the bench file</source>
   <translation>下一计划：基准文件中的计划</translation>
  </message>
  <message>
   <source>1 run</source>
   <translation>1 次运行</translation>
  </message>
  <message>
   <source>{0} runs</source>
   <translation>{0} 次运行</translation>
  </message>
  <message>
   <source>{0} and restarts</source>
   <translation>{0} 及重启</translation>
  </message>
  <message>
   <source>Next plan: {0}</source>
   <translation>下一计划：{0}</translation>
  </message>
  <message>
   <source>about {0}</source>
   <translation>约 {0}</translation>
  </message>
  <message>
   <source>{0} GPU-hours</source>
   <translation>{0} GPU 小时</translation>
  </message>
  <message>
   <source>{0} starts of the server, {1} requests, {2} MB of results</source>
   <translation>服务器启动 {0} 次，{1} 个请求，结果 {2} MB</translation>
  </message>
 </context>
 <context>
  <name>PlotCaption</name>
  <message>
   <source>Class of requests</source>
   <translation>请求类别</translation>
  </message>
  <message>
   <source>Whose TTFT, its parts and ITL are drawn</source>
   <translation>绘制其 TTFT、组成与 ITL 的请求</translation>
  </message>
  <message>
   <source>no news from the server: what is shown is old</source>
   <translation>服务器没有新消息：所显示的已过时</translation>
  </message>
  <message>
   <source>all classes</source>
   <translation>所有类别</translation>
  </message>
  <message>
   <source>No run was measured</source>
   <translation>没有测量任何运行</translation>
  </message>
  <message>
   <source>No run yet</source>
   <translation>尚无运行</translation>
  </message>
  <message>
   <source>partial: stopped before its end</source>
   <translation>部分：在结束前停止</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>skipped</source>
   <translation>已跳过</translation>
  </message>
  <message>
   <source>not measured yet</source>
   <translation>尚未测量</translation>
  </message>
  <message>
   <source>another tool's figures</source>
   <translation>另一工具的数字</translation>
  </message>
  <message>
   <source>finished; the next run is being prepared</source>
   <translation>已完成；正在准备下一次运行</translation>
  </message>
  <message>
   <source>Preparing the plan …</source>
   <translation>正在准备计划 …</translation>
  </message>
  <message>
   <source>Starting the server: {0}</source>
   <translation>正在启动服务器：{0}</translation>
  </message>
  <message>
   <source>under test: {0} {1}</source>
   <translation>受测：{0} {1}</translation>
  </message>
  <message>
   <source>baseline</source>
   <translation>基线</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
 </context>
 <context>
  <name>PlotChoice</name>
  <message>
   <source>All plots</source>
   <translation>所有图表</translation>
  </message>
  <message>
   <source>The usual six</source>
   <translation>常用的六个</translation>
  </message>
 </context>
 <context>
  <name>PlotMenu</name>
  <message>
   <source>Follow the run</source>
   <translation>跟随运行</translation>
  </message>
  <message>
   <source>Save picture…</source>
   <translation>保存图片…</translation>
  </message>
  <message>
   <source>Save data…</source>
   <translation>保存数据…</translation>
  </message>
  <message>
   <source>Copy data</source>
   <translation>复制数据</translation>
  </message>
  <message>
   <source>Pictures (*.png *.svg)</source>
   <translation>图片 (*.png *.svg)</translation>
  </message>
  <message>
   <source>Save picture</source>
   <translation>保存图片</translation>
  </message>
  <message>
   <source>Save data</source>
   <translation>保存数据</translation>
  </message>
  <message>
   <source>Wrote {0}</source>
   <translation>已写入 {0}</translation>
  </message>
 </context>
 <context>
  <name>PreferencesDialog</name>
  <message>
   <source>Preferences</source>
   <translation>首选项</translation>
  </message>
  <message>
   <source>Defaults</source>
   <translation>默认值</translation>
  </message>
  <message>
   <source>Changes take effect at once.</source>
   <translation>更改立即生效。</translation>
  </message>
 </context>
 <context>
  <name>RequestsRoom</name>
  <message>
   <source>Every outcome</source>
   <translation>所有结局</translation>
  </message>
  <message>
   <source>Every class</source>
   <translation>所有类别</translation>
  </message>
  <message>
   <source>Requests</source>
   <translation>请求</translation>
  </message>
  <message>
   <source>Run</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>Outcome</source>
   <translation>结局</translation>
  </message>
  <message>
   <source>Class</source>
   <translation>类别</translation>
  </message>
  <message>
   <source>Search requests</source>
   <translation>搜索请求</translation>
  </message>
  <message>
   <source>Id, session, error</source>
   <translation>标识、会话、错误</translation>
  </message>
  <message>
   <source>R&amp;un</source>
   <translation>运行(&amp;U)</translation>
  </message>
  <message>
   <source>Reading …</source>
   <translation>正在读取 …</translation>
  </message>
  <message>
   <source>No run yet</source>
   <translation>尚无运行</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>{0} of {1}</source>
   <translation>{1} 中的 {0}</translation>
  </message>
  <message>
   <source>{0} requests</source>
   <translation>{0} 个请求</translation>
  </message>
 </context>
 <context>
  <name>ResultCommands</name>
  <message>
   <source>A plan is being carried out; open the bench file when it is done.</source>
   <translation>计划正在执行；请在完成后打开基准文件。</translation>
  </message>
  <message>
   <source>The settings on the left are your unsaved ones, not those of the results shown.</source>
   <translation>左侧是您未保存的设置，并非所显示结果的设置。</translation>
  </message>
  <message>
   <source>Show those of the results</source>
   <translation>显示结果的设置</translation>
  </message>
  <message>
   <source>settings of the results</source>
   <translation>结果的设置</translation>
  </message>
  <message>
   <source>Wrote {0}</source>
   <translation>已写入 {0}</translation>
  </message>
  <message>
   <source>Not exported: {0}</source>
   <translation>未导出：{0}</translation>
  </message>
  <message>
   <source>Scorecard as CSV (*.csv)</source>
   <translation>记分卡 CSV (*.csv)</translation>
  </message>
  <message>
   <source>Scorecard as a workbook (*.xlsx)</source>
   <translation>记分卡工作簿 (*.xlsx)</translation>
  </message>
  <message>
   <source>Report (*.html)</source>
   <translation>报告 (*.html)</translation>
  </message>
  <message>
   <source>Figures and verdicts (*.json)</source>
   <translation>数字与结论 (*.json)</translation>
  </message>
  <message>
   <source>Pack to verify (*.zip)</source>
   <translation>可验证的包 (*.zip)</translation>
  </message>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
 </context>
 <context>
  <name>RunBar</name>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>trace: {0} {1}</source>
   <translation>轨迹：{0} {1}</translation>
  </message>
  <message>
   <source>did not start</source>
   <translation>未能开始</translation>
  </message>
  <message>
   <source>finished</source>
   <translation>已完成</translation>
  </message>
  <message>
   <source>stopped; what was finished is kept</source>
   <translation>已停止；已完成的予以保留</translation>
  </message>
  <message>
   <source>ended early; what was measured is kept</source>
   <translation>提前结束；已测量的予以保留</translation>
  </message>
  <message>
   <source>bench file, read-only</source>
   <translation>基准文件，只读</translation>
  </message>
  <message>
   <source>stopping …</source>
   <translation>正在停止 …</translation>
  </message>
  <message>
   <source>{0} left</source>
   <translation>剩余 {0}</translation>
  </message>
  <message>
   <source>run {0}/{1}</source>
   <translation>运行 {0}/{1}</translation>
  </message>
 </context>
 <context>
  <name>ScorecardModel</name>
  <message>
   <source>Measured by {0}.</source>
   <translation>由 {0} 测得。</translation>
  </message>
  <message>
   <source>not compared</source>
   <translation>不作比较</translation>
  </message>
  <message>
   <source>partial</source>
   <translation>部分</translation>
  </message>
  <message>
   <source>diverging</source>
   <translation>发散</translation>
  </message>
  <message>
   <source>Controls of this run: {0}</source>
   <translation>本次运行的控制项：{0}</translation>
  </message>
  <message>
   <source>Also moved: {0}</source>
   <translation>同时变动：{0}</translation>
  </message>
  <message>
   <source>This run diverges: the figure grows with its length.</source>
   <translation>此运行发散：该数字随其长度增长。</translation>
  </message>
 </context>
 <context>
  <name>ScorecardWidget</name>
  <message>
   <source>Each run of a plan becomes a row here</source>
   <translation>计划的每次运行在此成为一行</translation>
  </message>
  <message>
   <source>Scorecard</source>
   <translation>记分卡</translation>
  </message>
  <message>
   <source>One row a run, the baseline first, differences to it signed</source>
   <translation>每次运行一行，基线在先，差异带符号</translation>
  </message>
  <message>
   <source>Rows that hold this text; Escape shows all</source>
   <translation>含此文字的行；Esc 显示全部</translation>
  </message>
  <message>
   <source>Filter the scorecard</source>
   <translation>筛选记分卡</translation>
  </message>
  <message>
   <source>Show its plots</source>
   <translation>显示其图表</translation>
  </message>
  <message>
   <source>Draw it behind the plots</source>
   <translation>画在图表背景</translation>
  </message>
  <message>
   <source>Copy</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>Filter rows…</source>
   <translation>筛选行…</translation>
  </message>
 </context>
 <context>
  <name>ServerForm</name>
  <message>
   <source>Embedded engine (simulated)</source>
   <translation>内置引擎(模拟)</translation>
  </message>
  <message>
   <source>vLLM on this machine</source>
   <translation>本机上的 vLLM</translation>
  </message>
  <message>
   <source>vLLM on another machine (SSH)</source>
   <translation>另一台机器上的 vLLM(SSH)</translation>
  </message>
  <message>
   <source>vLLM in a container</source>
   <translation>容器中的 vLLM</translation>
  </message>
  <message>
   <source>Server at a URL</source>
   <translation>某 URL 上的服务器</translation>
  </message>
  <message>
   <source>the vllm on the PATH</source>
   <translation>PATH 中的 vllm</translation>
  </message>
  <message>
   <source>as deployed</source>
   <translation>按部署</translation>
  </message>
  <message>
   <source>pinned to the baseline's blocks</source>
   <translation>固定为基线的块数</translation>
  </message>
  <message>
   <source>record every step of the scheduler</source>
   <translation>记录调度器的每一步</translation>
  </message>
  <message>
   <source>limits can be changed while it runs</source>
   <translation>运行时可更改限制</translation>
  </message>
  <message>
   <source>figures alone, which is lighter</source>
   <translation>只记录数字，开销更小</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>machine {0}</source>
   <translation>机器 {0}</translation>
  </message>
  <message>
   <source>none: the load runs here</source>
   <translation>无：负载在本机运行</translation>
  </message>
  <message>
   <source>load from {0}</source>
   <translation>负载来自 {0}</translation>
  </message>
  <message>
   <source>image {0}</source>
   <translation>镜像 {0}</translation>
  </message>
  <message>
   <source>GPUs {0}</source>
   <translation>GPU {0}</translation>
  </message>
  <message>
   <source>shared memory {0}</source>
   <translation>共享内存 {0}</translation>
  </message>
  <message>
   <source>more words {0}</source>
   <translation>更多参数 {0}</translation>
  </message>
  <message>
   <source>the system's</source>
   <translation>系统自带</translation>
  </message>
  <message>
   <source>certificates {0}</source>
   <translation>证书 {0}</translation>
  </message>
  <message>
   <source>&amp;Server</source>
   <translation>服务器(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;Profile</source>
   <translation>画像(&amp;P)</translation>
  </message>
  <message>
   <source>GPU, model and tensor parallelism</source>
   <translation>GPU、模型与张量并行</translation>
  </message>
  <message>
   <source>&amp;Time scale</source>
   <translation>时间倍率(&amp;T)</translation>
  </message>
  <message>
   <source>Figures stay in simulated seconds</source>
   <translation>数字仍以模拟秒计</translation>
  </message>
  <message>
   <source>&amp;URL</source>
   <translation>URL(&amp;U)</translation>
  </message>
  <message>
   <source>A server that is already running; it is never stopped</source>
   <translation>已在运行的服务器；从不停止它</translation>
  </message>
  <message>
   <source>&amp;Model</source>
   <translation>模型(&amp;M)</translation>
  </message>
  <message>
   <source>A folder or a Hugging Face name; else as listed</source>
   <translation>文件夹或 Hugging Face 名称；否则按其列出</translation>
  </message>
  <message>
   <source>Ma&amp;chine</source>
   <translation>机器(&amp;C)</translation>
  </message>
  <message>
   <source>An alias of ~/.ssh/config, HOST, USER@HOST or USER@HOST:PORT</source>
   <translation>~/.ssh/config 中的别名、HOST、USER@HOST 或 USER@HOST:PORT</translation>
  </message>
  <message>
   <source>&amp;Load from</source>
   <translation>负载来自(&amp;L)</translation>
  </message>
  <message>
   <source>A Python there that has this program in the same version: no tunnel is in the figures then</source>
   <translation>那台机器上装有同版本本程序的 Python：数字中便不含隧道</translation>
  </message>
  <message>
   <source>&amp;Image</source>
   <translation>镜像(&amp;I)</translation>
  </message>
  <message>
   <source>It brings vLLM and its libraries</source>
   <translation>自带 vLLM 及其库</translation>
  </message>
  <message>
   <source>&amp;vLLM</source>
   <translation>vLLM(&amp;V)</translation>
  </message>
  <message>
   <source>vLLM's script, or an environment that has it; of a container docker or podman</source>
   <translation>vLLM 的脚本或含有它的环境；对容器为 docker 或 podman</translation>
  </message>
  <message>
   <source>&amp;GPUs</source>
   <translation>GPU(&amp;G)</translation>
  </message>
  <message>
   <source>As docker's --gpus takes it: all, 2</source>
   <translation>同 docker 的 --gpus:all、2</translation>
  </message>
  <message>
   <source>Shared me&amp;mory</source>
   <translation>共享内存(&amp;M)</translation>
  </message>
  <message>
   <source>Several GPUs need more, as 16g</source>
   <translation>多个 GPU 需要更多，如 16g</translation>
  </message>
  <message>
   <source>M&amp;ore</source>
   <translation>更多(&amp;O)</translation>
  </message>
  <message>
   <source>More words of the server's command line</source>
   <translation>服务器命令行的更多参数</translation>
  </message>
  <message>
   <source>Ce&amp;rtificates</source>
   <translation>证书(&amp;R)</translation>
  </message>
  <message>
   <source>Besides the system's, a PEM file</source>
   <translation>系统证书之外的 PEM 文件</translation>
  </message>
  <message>
   <source>&amp;Key from</source>
   <translation>密钥来自(&amp;K)</translation>
  </message>
  <message>
   <source>Name of an environment variable that holds it</source>
   <translation>存放它的环境变量名</translation>
  </message>
  <message>
   <source>KV cac&amp;he</source>
   <translation>KV 缓存(&amp;H)</translation>
  </message>
  <message>
   <source>Pinned: later servers get the blocks that the baseline's really had</source>
   <translation>固定：后续服务器使用基线服务器实际拥有的块数</translation>
  </message>
  <message>
   <source>What the scheduler did, and why</source>
   <translation>调度器做了什么，为何如此</translation>
  </message>
  <message>
   <source>By vLLM's own stat logger: no decisions, no reasons</source>
   <translation>由 vLLM 自己的统计记录器写出：没有调度决定，也没有原因</translation>
  </message>
  <message>
   <source>For the live limits and for switchbacks</source>
   <translation>供在线限制与交替切换使用</translation>
  </message>
  <message>
   <source>Comma&amp;nd</source>
   <translation>命令(&amp;N)</translation>
  </message>
  <message>
   <source>Flags for measuring, and the port, are added when it is started</source>
   <translation>测量用的参数与端口在启动时添加</translation>
  </message>
  <message>
   <source>found</source>
   <translation>查找</translation>
  </message>
  <message>
   <source>Look for vLLM on this machine</source>
   <translation>在本机查找 vLLM</translation>
  </message>
  <message>
   <source>copy</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>Copy the command</source>
   <translation>复制命令</translation>
  </message>
  <message>
   <source>server {0}</source>
   <translation>服务器 {0}</translation>
  </message>
  <message>
   <source>profile {0}</source>
   <translation>画像 {0}</translation>
  </message>
  <message>
   <source>time scale {0}</source>
   <translation>时间倍率 {0}</translation>
  </message>
  <message>
   <source>URL {0}</source>
   <translation>URL {0}</translation>
  </message>
  <message>
   <source>model {0}</source>
   <translation>模型 {0}</translation>
  </message>
  <message>
   <source>vLLM {0}</source>
   <translation>vLLM {0}</translation>
  </message>
  <message>
   <source>KV cache {0}</source>
   <translation>KV 缓存 {0}</translation>
  </message>
  <message>
   <source>not: {0}</source>
   <translation>不：{0}</translation>
  </message>
  <message>
   <source>key from {0}</source>
   <translation>密钥来自 {0}</translation>
  </message>
  <message>
   <source>the server's first model</source>
   <translation>服务器的首个模型</translation>
  </message>
  <message>
   <source>No vLLM on the PATH or beside this Python</source>
   <translation>PATH 中与此 Python 旁均无 vLLM</translation>
  </message>
  <message>
   <source>, time ×{0}</source>
   <translation>，时间 ×{0}</translation>
  </message>
  <message>
   <source>measured in a running vLLM</source>
   <translation>在运行中的 vLLM 上测得</translation>
  </message>
  <message>
   <source>fitted to kernel times</source>
   <translation>按内核时间拟合</translation>
  </message>
  <message>
   <source>estimated from another card</source>
   <translation>由另一张卡估算</translation>
  </message>
  <message>
   <source>Step times {0}; never compared with a real server.</source>
   <translation>步时间{0}；从未与真实服务器比较。</translation>
  </message>
  <message>
   <source>Step times {0}; off by {1} % in TTFT and {2} % in TPOT on the run they were chosen on.</source>
   <translation>步时间{0}；在选定它们所用的那次运行上 TTFT 偏差 {1} %，TPOT 偏差 {2} %。</translation>
  </message>
  <message>
   <source>Step times {0}; off by {1} % in TTFT and {2} % in TPOT where checked.</source>
   <translation>步时间{0}；经检验 TTFT 偏差 {1} %，TPOT 偏差 {2} %。</translation>
  </message>
 </context>
 <context>
  <name>ServerRoom</name>
  <message>
   <source>Try it out</source>
   <translation>试启动</translation>
  </message>
  <message>
   <source>Copy</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>Remember</source>
   <translation>记住</translation>
  </message>
  <message>
   <source>Forget</source>
   <translation>忘记</translation>
  </message>
  <message>
   <source>Remembered servers</source>
   <translation>记住的服务器</translation>
  </message>
  <message>
   <source>Double-click or Enter: use it in the experiment</source>
   <translation>双击或回车：用于实验</translation>
  </message>
  <message>
   <source>Servers that you remember stand here</source>
   <translation>您记住的服务器显示在此</translation>
  </message>
  <message>
   <source>Command of the server</source>
   <translation>服务器的命令</translation>
  </message>
  <message>
   <source>Start the form's server, read back what it uses, stop it</source>
   <translation>启动表单中的服务器，读回其实际设置，然后停止</translation>
  </message>
  <message>
   <source>Stopping the server …</source>
   <translation>正在停止服务器 …</translation>
  </message>
  <message>
   <source>A plan is being carried out; try a server when it is done.</source>
   <translation>计划正在执行；请在完成后试启动服务器。</translation>
  </message>
  <message>
   <source>○ no server yet</source>
   <translation>○ 尚无服务器</translation>
  </message>
  <message>
   <source>◔ starting</source>
   <translation>◔ 正在启动</translation>
  </message>
  <message>
   <source>● ready</source>
   <translation>● 就绪</translation>
  </message>
  <message>
   <source>◉ busy</source>
   <translation>◉ 忙碌</translation>
  </message>
  <message>
   <source>◑ in trouble</source>
   <translation>◑ 有问题</translation>
  </message>
  <message>
   <source>◔ stopping</source>
   <translation>◔ 正在停止</translation>
  </message>
  <message>
   <source>○ stopped</source>
   <translation>○ 已停止</translation>
  </message>
  <message>
   <source>✗ failed</source>
   <translation>✗ 失败</translation>
  </message>
  <message>
   <source>○ nobody knows</source>
   <translation>○ 未知</translation>
  </message>
  <message>
   <source>End the trial</source>
   <translation>结束试启动</translation>
  </message>
  <message>
   <source>Change {0}</source>
   <translation>更改 {0}</translation>
  </message>
  <message>
   <source>Use {0} {1}</source>
   <translation>使用 {0} {1}</translation>
  </message>
  <message>
   <source>{0} {1}, as the server asked</source>
   <translation>{0} {1}，依服务器要求</translation>
  </message>
  <message>
   <source>server</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>{0} is no longer remembered.</source>
   <translation>{0} 已不在记忆中。</translation>
  </message>
  <message>
   <source>server {0}</source>
   <translation>服务器 {0}</translation>
  </message>
 </context>
 <context>
  <name>SessionBook</name>
  <message>
   <source>{0}. A new session begins in {1}.</source>
   <translation>{0}。新会话在 {1} 中开始。</translation>
  </message>
  <message>
   <source>The session is not kept: {0}</source>
   <translation>会话未保存：{0}</translation>
  </message>
  <message>
   <source>begin with {0}</source>
   <translation>从 {0} 开始</translation>
  </message>
  <message>
   <source>adopt {0}</source>
   <translation>采纳 {0}</translation>
  </message>
  <message>
   <source>branch {0}</source>
   <translation>分支 {0}</translation>
  </message>
  <message>
   <source>note at {0}</source>
   <translation>{0} 的备注</translation>
  </message>
  <message>
   <source>results of {0}</source>
   <translation>{0} 的结果</translation>
  </message>
 </context>
 <context>
  <name>SessionGraph</name>
  <message>
   <source>Session: chain of experiments</source>
   <translation>会话：实验链</translation>
  </message>
  <message>
   <source>measured</source>
   <translation>已测量</translation>
  </message>
  <message>
   <source>not measured yet</source>
   <translation>尚未测量</translation>
  </message>
  <message>
   <source>, from step {0}</source>
   <translation>，源自第 {0} 步</translation>
  </message>
  <message>
   <source>A session is a chain of experiments: each begins from what the last one found.</source>
   <translation>会话是实验之链：每个实验都从上一个的发现开始。</translation>
  </message>
  <message>
   <source>as it was</source>
   <translation>保持原样</translation>
  </message>
  <message>
   <source>● measured</source>
   <translation>● 已测量</translation>
  </message>
  <message>
   <source>○ not measured yet</source>
   <translation>○ 尚未测量</translation>
  </message>
 </context>
 <context>
  <name>SessionRoom</name>
  <message>
   <source>Begin with this experiment</source>
   <translation>从此实验开始</translation>
  </message>
  <message>
   <source>Edit</source>
   <translation>编辑</translation>
  </message>
  <message>
   <source>Show results</source>
   <translation>显示结果</translation>
  </message>
  <message>
   <source>Undo</source>
   <translation>撤销</translation>
  </message>
  <message>
   <source>Redo</source>
   <translation>重做</translation>
  </message>
  <message>
   <source>The form's experiment becomes a first step; results of it on screen join it</source>
   <translation>表单中的实验成为第一步；屏幕上它的结果随之附上</translation>
  </message>
  <message>
   <source>Put the step's experiment into the form, to run or change it</source>
   <translation>将该步的实验放入表单，以运行或更改</translation>
  </message>
  <message>
   <source>step {0} of the session</source>
   <translation>会话的第 {0} 步</translation>
  </message>
  <message>
   <source>The results of step {0} are gone: there is no {1}</source>
   <translation>第 {0} 步的结果已不在：没有 {1}</translation>
  </message>
 </context>
 <context>
  <name>StartPage</name>
  <message>
   <source>Which scheduler settings should this server run?</source>
   <translation>这台服务器应使用哪些调度设置？</translation>
  </message>
  <message>
   <source>The workbench changes one control at a time, replays the same requests against each value, and keeps a scorecard. The demo does it on a simulated H100: it needs no GPU and takes about a minute.</source>
   <translation>工作台每次更改一个控制项，对每个取值重放相同的请求，并保留记分卡。演示在模拟的 H100 上进行：无需 GPU，约一分钟。</translation>
  </message>
  <message>
   <source>Run the demo</source>
   <translation>运行演示</translation>
  </message>
  <message>
   <source>Use my server</source>
   <translation>使用我的服务器</translation>
  </message>
  <message>
   <source>Use my trace</source>
   <translation>使用我的轨迹</translation>
  </message>
  <message>
   <source>Open a bench file</source>
   <translation>打开基准文件</translation>
  </message>
 </context>
 <context>
  <name>StepsForm</name>
  <message>
   <source>Add a step</source>
   <translation>添加步骤</translation>
  </message>
 </context>
 <context>
  <name>TraceDialog</name>
  <message>
   <source>Prepare {0}</source>
   <translation>准备 {0}</translation>
  </message>
  <message>
   <source>Reading …</source>
   <translation>正在读取 …</translation>
  </message>
  <message>
   <source>Save and use it…</source>
   <translation>保存并使用…</translation>
  </message>
  <message>
   <source>Choose the columns that hold time, prompt tokens and output tokens.</source>
   <translation>请选择存放时间、提示 token 与输出 token 的列。</translation>
  </message>
  <message>
   <source>A step needs its value.</source>
   <translation>有一步还缺少值。</translation>
  </message>
  <message>
   <source>Save the trace</source>
   <translation>保存轨迹</translation>
  </message>
 </context>
 <context>
  <name>TraceSketch</name>
  <message>
   <source>Shape of the workload</source>
   <translation>负载的形状</translation>
  </message>
  <message>
   <source>arrivals</source>
   <translation>到达</translation>
  </message>
  <message>
   <source>prompt</source>
   <translation>提示</translation>
  </message>
  <message>
   <source>output</source>
   <translation>输出</translation>
  </message>
 </context>
 <context>
  <name>WorkloadForm</name>
  <message>
   <source>Synthetic requests</source>
   <translation>合成请求</translation>
  </message>
  <message>
   <source>A mix of chat, documents, agents</source>
   <translation>对话、文档、智能体的混合</translation>
  </message>
  <message>
   <source>Trace file</source>
   <translation>轨迹文件</translation>
  </message>
  <message>
   <source>Prepare the trace…</source>
   <translation>准备轨迹…</translation>
  </message>
  <message>
   <source>Open trace file</source>
   <translation>打开轨迹文件</translation>
  </message>
  <message>
   <source>Traces (*.jsonl *.csv *.json *.gz *.zst);;All files (*)</source>
   <translation>轨迹 (*.jsonl *.csv *.json *.gz *.zst);;所有文件 (*)</translation>
  </message>
  <message>
   <source>refuse the trace</source>
   <translation>拒绝该轨迹</translation>
  </message>
  <message>
   <source>leave them out</source>
   <translation>略去它们</translation>
  </message>
  <message>
   <source>shorten them</source>
   <translation>缩短它们</translation>
  </message>
  <message>
   <source>&amp;Requests</source>
   <translation>请求(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;File</source>
   <translation>文件(&amp;F)</translation>
  </message>
  <message>
   <source>It can also be dropped on the window</source>
   <translation>也可拖放到窗口上</translation>
  </message>
  <message>
   <source>&amp;Mix</source>
   <translation>混合(&amp;M)</translation>
  </message>
  <message>
   <source>How much of the requests is of which mix</source>
   <translation>各类请求所占的比例</translation>
  </message>
  <message>
   <source>Columns of an unknown file, and steps that change a trace</source>
   <translation>未知文件的各列，以及更改轨迹的步骤</translation>
  </message>
  <message>
   <source>T&amp;okens</source>
   <translation>Token(&amp;O)</translation>
  </message>
  <message>
   <source>Prompt and output tokens of each request</source>
   <translation>每个请求的提示与输出 token</translation>
  </message>
  <message>
   <source>Too &amp;long</source>
   <translation>过长者(&amp;L)</translation>
  </message>
  <message>
   <source>Requests longer than the model's context</source>
   <translation>长于模型上下文的请求</translation>
  </message>
  <message>
   <source>S&amp;peed-up</source>
   <translation>加速(&amp;P)</translation>
  </message>
  <message>
   <source>Compresses the trace's times: more load</source>
   <translation>压缩轨迹的时间：负载更大</translation>
  </message>
  <message>
   <source>See&amp;d</source>
   <translation>种子(&amp;D)</translation>
  </message>
  <message>
   <source>The same seed gives the same requests</source>
   <translation>相同种子得到相同请求</translation>
  </message>
  <message>
   <source>Input tokens</source>
   <translation>输入 token</translation>
  </message>
  <message>
   <source>Output tokens</source>
   <translation>输出 token</translation>
  </message>
  <message>
   <source>in</source>
   <translation>输入</translation>
  </message>
  <message>
   <source>out</source>
   <translation>输出</translation>
  </message>
  <message>
   <source>mix {0}</source>
   <translation>混合 {0}</translation>
  </message>
  <message>
   <source>trace {0}</source>
   <translation>轨迹 {0}</translation>
  </message>
  <message>
   <source>input {0} tokens</source>
   <translation>输入 {0} token</translation>
  </message>
  <message>
   <source>output {0} tokens</source>
   <translation>输出 {0} token</translation>
  </message>
  <message>
   <source>too long: {0}</source>
   <translation>过长：{0}</translation>
  </message>
  <message>
   <source>speed-up {0}</source>
   <translation>加速 {0}</translation>
  </message>
  <message>
   <source>seed {0}</source>
   <translation>种子 {0}</translation>
  </message>
  <message>
   <source>{0} in, {1} out</source>
   <translation>输入 {0}，输出 {1}</translation>
  </message>
  <message>
   <source>Reading …</source>
   <translation>正在读取 …</translation>
  </message>
  <message>
   <source>, {0} req/s</source>
   <translation>,{0} 请求/s</translation>
  </message>
  <message>
   <source>{0} requests{1}. Input mean {2}, p95 {3} tokens; output mean {4}, p95 {5}.</source>
   <translation>{0} 个请求{1}。输入均值 {2}、p95 {3} token;输出均值 {4}、p95 {5}。</translation>
  </message>
  <message>
   <source>Of the prompts {0} % is seen again.</source>
   <translation>提示中有 {0} % 会再次出现。</translation>
  </message>
 </context>
 <context>
  <name>_Process</name>
  <message>
   <source>the export ended with exit code {0}</source>
   <translation>导出以退出码 {0} 结束</translation>
  </message>
 </context>
 <context>
  <name>_Row</name>
  <message>
   <source>Copy the message</source>
   <translation>复制消息</translation>
  </message>
  <message>
   <source>Dismiss the message</source>
   <translation>关闭消息</translation>
  </message>
 </context>
 <context>
  <name>_StepRow</name>
  <message>
   <source>Step</source>
   <translation>步骤</translation>
  </message>
  <message>
   <source>Value of the step</source>
   <translation>步骤的参数</translation>
  </message>
  <message>
   <source>Carry this step out earlier</source>
   <translation>更早执行此步骤</translation>
  </message>
  <message>
   <source>Take this step away</source>
   <translation>移除此步骤</translation>
  </message>
  <message>
   <source>Give its value: {0}.</source>
   <translation>请给出它的值：{0}。</translation>
  </message>
 </context>
 <context>
  <name>about controls</name>
  <message>
   <source>on or off</source>
   <translation>开或关</translation>
  </message>
  <message>
   <source>{0} to {1} {2}</source>
   <translation>{0} 至 {1} {2}</translation>
  </message>
  <message>
   <source>{0} or more {1}</source>
   <translation>{0} 或更多 {1}</translation>
  </message>
  <message>
   <source>Limits {0}.</source>
   <translation>限制{0}。</translation>
  </message>
  <message>
   <source>Watch {0}.</source>
   <translation>观察{0}。</translation>
  </message>
  <message>
   <source>Takes {0}. Default: {1}.</source>
   <translation>取值：{0}。默认：{1}。</translation>
  </message>
  <message>
   <source>Since vLLM {0}.</source>
   <translation>自 vLLM {0} 起。</translation>
  </message>
 </context>
 <context>
  <name>actions</name>
  <message>
   <source>&amp;New experiment</source>
   <translation>新建实验(&amp;N)</translation>
  </message>
  <message>
   <source>Begin an experiment from defaults</source>
   <translation>从默认值开始一个实验</translation>
  </message>
  <message>
   <source>&amp;Open experiment…</source>
   <translation>打开实验(&amp;O)…</translation>
  </message>
  <message>
   <source>Open an experiment file (TOML)</source>
   <translation>打开实验文件(TOML)</translation>
  </message>
  <message>
   <source>Open &amp;bench file…</source>
   <translation>打开基准文件(&amp;B)…</translation>
  </message>
  <message>
   <source>Look at stored results; nothing is changed</source>
   <translation>查看已保存的结果，不作任何更改</translation>
  </message>
  <message>
   <source>&amp;Save</source>
   <translation>保存(&amp;S)</translation>
  </message>
  <message>
   <source>Save the experiment</source>
   <translation>保存实验</translation>
  </message>
  <message>
   <source>Save &amp;as…</source>
   <translation>另存为(&amp;A)…</translation>
  </message>
  <message>
   <source>Save the experiment under another name</source>
   <translation>以另一名称保存实验</translation>
  </message>
  <message>
   <source>&amp;Duplicate</source>
   <translation>复制一份(&amp;D)</translation>
  </message>
  <message>
   <source>Go on with a copy that has no file yet</source>
   <translation>在尚无文件的副本上继续</translation>
  </message>
  <message>
   <source>&amp;Export…</source>
   <translation>导出(&amp;E)…</translation>
  </message>
  <message>
   <source>Write the scorecard as CSV or workbook, a report, or a pack to verify</source>
   <translation>将记分卡写为 CSV 或工作簿、报告，或可验证的包</translation>
  </message>
  <message>
   <source>&amp;Quit</source>
   <translation>退出(&amp;Q)</translation>
  </message>
  <message>
   <source>Close the window</source>
   <translation>关闭窗口</translation>
  </message>
  <message>
   <source>&amp;Undo</source>
   <translation>撤销(&amp;U)</translation>
  </message>
  <message>
   <source>Take back the last change of the experiment</source>
   <translation>撤回对实验的上一次更改</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>重做(&amp;R)</translation>
  </message>
  <message>
   <source>Make the change again</source>
   <translation>重新作出该更改</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>Copy the selected scorecard rows with their headers</source>
   <translation>复制选中的记分卡行及表头</translation>
  </message>
  <message>
   <source>&amp;Run plan</source>
   <translation>运行计划(&amp;R)</translation>
  </message>
  <message>
   <source>Carry out the experiment's plan</source>
   <translation>执行实验的计划</translation>
  </message>
  <message>
   <source>&amp;Stop</source>
   <translation>停止(&amp;S)</translation>
  </message>
  <message>
   <source>Stop now; what is finished is kept</source>
   <translation>立即停止，已完成的予以保留</translation>
  </message>
  <message>
   <source>Stop &amp;after this run</source>
   <translation>本次运行后停止(&amp;A)</translation>
  </message>
  <message>
   <source>Finish the present run, then stop</source>
   <translation>完成当前运行后停止</translation>
  </message>
  <message>
   <source>S&amp;kip run</source>
   <translation>跳过运行(&amp;K)</translation>
  </message>
  <message>
   <source>Leave the present run and go on with the next</source>
   <translation>离开当前运行，继续下一个</translation>
  </message>
  <message>
   <source>Run the &amp;demo</source>
   <translation>运行演示(&amp;D)</translation>
  </message>
  <message>
   <source>A simulated H100: three changes, about a minute</source>
   <translation>模拟的 H100:三处更改，约一分钟</translation>
  </message>
  <message>
   <source>&amp;Seats</source>
   <translation>席位(&amp;S)</translation>
  </message>
  <message>
   <source>How many chats may run at once?</source>
   <translation>可同时运行多少个对话？</translation>
  </message>
  <message>
   <source>The &amp;token budget</source>
   <translation>token 预算(&amp;T)</translation>
  </message>
  <message>
   <source>A long document among chats: who feels it?</source>
   <translation>对话中夹着一份长文档：谁会感觉到？</translation>
  </message>
  <message>
   <source>The &amp;KV cliff</source>
   <translation>KV 悬崖(&amp;K)</translation>
  </message>
  <message>
   <source>More jobs than the KV cache holds: let all in?</source>
   <translation>任务超过 KV 缓存容量：全部放入？</translation>
  </message>
  <message>
   <source>The &amp;bounded queue</source>
   <translation>有界队列(&amp;B)</translation>
  </message>
  <message>
   <source>A burst comes: should all wait, or some hear no at once?</source>
   <translation>突发到来：全部等待，还是立即拒绝一部分？</translation>
  </message>
  <message>
   <source>Static against &amp;continuous batching</source>
   <translation>静态批处理与连续批处理(&amp;C)</translation>
  </message>
  <message>
   <source>A short chat arrives while a document is answered</source>
   <translation>正在回答文档时来了一个短对话</translation>
  </message>
  <message>
   <source>&amp;Go on</source>
   <translation>继续(&amp;G)</translation>
  </message>
  <message>
   <source>The next step of the demo that is told</source>
   <translation>正在讲解的演示的下一步</translation>
  </message>
  <message>
   <source>S&amp;lower</source>
   <translation>放慢(&amp;L)</translation>
  </message>
  <message>
   <source>Show the demo in slower motion</source>
   <translation>以更慢的速度放映演示</translation>
  </message>
  <message>
   <source>&amp;Faster</source>
   <translation>加快(&amp;F)</translation>
  </message>
  <message>
   <source>Show the demo in faster motion</source>
   <translation>以更快的速度放映演示</translation>
  </message>
  <message>
   <source>&amp;End the demo</source>
   <translation>结束演示(&amp;E)</translation>
  </message>
  <message>
   <source>Back to where the window was</source>
   <translation>回到窗口原先的状态</translation>
  </message>
  <message>
   <source>&amp;Follow</source>
   <translation>跟随(&amp;F)</translation>
  </message>
  <message>
   <source>Show the whole run as it grows</source>
   <translation>随运行进展显示全程</translation>
  </message>
  <message>
   <source>&amp;Pause plots</source>
   <translation>暂停图表(&amp;P)</translation>
  </message>
  <message>
   <source>Hold the plots still; the run goes on</source>
   <translation>图表静止，运行继续</translation>
  </message>
  <message>
   <source>&amp;Earlier run behind…</source>
   <translation>以往运行作背景(&amp;E)…</translation>
  </message>
  <message>
   <source>Draw a run of another bench file in grey behind the plots</source>
   <translation>将另一基准文件中的运行以灰色画在图表背景</translation>
  </message>
  <message>
   <source>&amp;Baseline behind</source>
   <translation>基线作背景(&amp;B)</translation>
  </message>
  <message>
   <source>Draw the baseline in grey again</source>
   <translation>重新以灰色画出基线</translation>
  </message>
  <message>
   <source>&amp;Comparison chart</source>
   <translation>对比图(&amp;C)</translation>
  </message>
  <message>
   <source>Any two columns of the scorecard against each other</source>
   <translation>记分卡任意两列互相对照</translation>
  </message>
  <message>
   <source>Arrange to &amp;tune</source>
   <translation>调优布局(&amp;T)</translation>
  </message>
  <message>
   <source>All panels, as at first</source>
   <translation>所有面板，恢复最初布局</translation>
  </message>
  <message>
   <source>Arrange to show</source>
   <translation>演示布局</translation>
  </message>
  <message>
   <source>Plots and words, large</source>
   <translation>大号图表与文字</translation>
  </message>
  <message>
   <source>Arrange to re&amp;view</source>
   <translation>复查布局(&amp;V)</translation>
  </message>
  <message>
   <source>Scorecard and chart, large</source>
   <translation>大号记分卡与图表</translation>
  </message>
  <message>
   <source>As the s&amp;ystem</source>
   <translation>跟随系统(&amp;Y)</translation>
  </message>
  <message>
   <source>Light or dark as the system is</source>
   <translation>随系统使用浅色或深色</translation>
  </message>
  <message>
   <source>&amp;Light</source>
   <translation>浅色(&amp;L)</translation>
  </message>
  <message>
   <source>Always light</source>
   <translation>始终浅色</translation>
  </message>
  <message>
   <source>&amp;Dark</source>
   <translation>深色(&amp;D)</translation>
  </message>
  <message>
   <source>Always dark</source>
   <translation>始终深色</translation>
  </message>
  <message>
   <source>&amp;Preferences…</source>
   <translation>首选项(&amp;P)…</translation>
  </message>
  <message>
   <source>Settings of the window</source>
   <translation>窗口的设置</translation>
  </message>
  <message>
   <source>&amp;User guide</source>
   <translation>用户指南(&amp;U)</translation>
  </message>
  <message>
   <source>The window, room by room</source>
   <translation>逐个面板介绍窗口</translation>
  </message>
  <message>
   <source>&amp;What the figures mean</source>
   <translation>数字的含义(&amp;W)</translation>
  </message>
  <message>
   <source>How every figure is defined</source>
   <translation>每个数字的定义</translation>
  </message>
  <message>
   <source>&amp;Find a command…</source>
   <translation>查找命令(&amp;F)…</translation>
  </message>
  <message>
   <source>Type a part of a command's name</source>
   <translation>输入命令名称的一部分</translation>
  </message>
  <message>
   <source>&amp;About vLLM Workbench</source>
   <translation>关于 vLLM Workbench(&amp;A)</translation>
  </message>
  <message>
   <source>Versions, for a report of a problem</source>
   <translation>版本信息，供报告问题时使用</translation>
  </message>
  <message>
   <source>&amp;File</source>
   <translation>文件(&amp;F)</translation>
  </message>
  <message>
   <source>&amp;Edit</source>
   <translation>编辑(&amp;E)</translation>
  </message>
  <message>
   <source>&amp;Run</source>
   <translation>运行(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;Demo</source>
   <translation>演示(&amp;D)</translation>
  </message>
  <message>
   <source>&amp;View</source>
   <translation>视图(&amp;V)</translation>
  </message>
  <message>
   <source>&amp;Help</source>
   <translation>帮助(&amp;H)</translation>
  </message>
 </context>
 <context>
  <name>application</name>
  <message>
   <source>The window ended unexpectedly last time. What Python said is kept in {0}.</source>
   <translation>窗口上次意外结束。Python 的报告保存在 {0}。</translation>
  </message>
  <message>
   <source>Copy it</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>Something in the window failed: {0}: {1}. A running plan goes on.</source>
   <translation>窗口中发生错误：{0}:{1}。正在运行的计划会继续。</translation>
  </message>
 </context>
 <context>
  <name>bounds</name>
  <message>
   <source>sequence limit</source>
   <translation>序列上限</translation>
  </message>
  <message>
   <source>token budget</source>
   <translation>token 预算</translation>
  </message>
  <message>
   <source>KV cache</source>
   <translation>KV 缓存</translation>
  </message>
  <message>
   <source>admission limit</source>
   <translation>准入上限</translation>
  </message>
  <message>
   <source>client's own limit</source>
   <translation>客户端自身的上限</translation>
  </message>
  <message>
   <source>front end</source>
   <translation>前端</translation>
  </message>
  <message>
   <source>blocked head</source>
   <translation>队首受阻</translation>
  </message>
  <message>
   <source>one request owns the pool</source>
   <translation>一个请求独占缓存池</translation>
  </message>
  <message>
   <source>decode starved</source>
   <translation>解码受饿</translation>
  </message>
  <message>
   <source>stuck</source>
   <translation>卡住</translation>
  </message>
  <message>
   <source>livelock</source>
   <translation>活锁</translation>
  </message>
  <message>
   <source>no limit</source>
   <translation>无限制</translation>
  </message>
  <message>
   <source>idle</source>
   <translation>空闲</translation>
  </message>
  <message>
   <source>not seen</source>
   <translation>未观察到</translation>
  </message>
  <message>
   <source>Head waits: no free seat, {0} of {1} taken.</source>
   <translation>队首等待：无空席位，{1} 个中已占 {0} 个。</translation>
  </message>
  <message>
   <source>Head waits: no KV blocks, the pool is {0} % full.</source>
   <translation>队首等待：无 KV 块，缓存池已满 {0} %。</translation>
  </message>
  <message>
   <source>Head waits: seats and blocks are free, the step's token budget is spent.</source>
   <translation>队首等待：席位与块均有空闲，本步的 token 预算已用尽。</translation>
  </message>
  <message>
   <source>No limit bound</source>
   <translation>未受任何限制</translation>
  </message>
  <message>
   <source>Mostly no limit bound; {0} for {1} %</source>
   <translation>大部分时间未受限制；{0}占 {1} %</translation>
  </message>
  <message>
   <source>Bound by: {0}</source>
   <translation>受限于：{0}</translation>
  </message>
 </context>
 <context>
  <name>conductor</name>
  <message>
   <source>was ended by signal {0}</source>
   <translation>被信号 {0} 结束</translation>
  </message>
  <message>
   <source>ended</source>
   <translation>已结束</translation>
  </message>
  <message>
   <source>ended with exit code {0}</source>
   <translation>以退出码 {0} 结束</translation>
  </message>
 </context>
 <context>
  <name>controls</name>
  <message>
   <source>Token budget</source>
   <translation>Token 预算</translation>
  </message>
  <message>
   <source>tokens processed in one step, prefill and decode together</source>
   <translation>一步中处理的 token，预填充与解码合计</translation>
  </message>
  <message>
   <source>throughput, TTFT, inter-token latency, progress of long prompts</source>
   <translation>吞吐、TTFT、token 间延迟、长提示的进度</translation>
  </message>
  <message>
   <source>Sequence limit</source>
   <translation>序列上限</translation>
  </message>
  <message>
   <source>sequences processed in one step</source>
   <translation>一步中处理的序列</translation>
  </message>
  <message>
   <source>running requests, memory headroom, tail latency</source>
   <translation>运行中的请求、内存余量、尾部延迟</translation>
  </message>
  <message>
   <source>Active sequences</source>
   <translation>活动序列</translation>
  </message>
  <message>
   <source>running requests, below the sequence limit; nobody is rejected or preempted by it</source>
   <translation>运行中的请求，低于序列上限；不因此拒绝或抢占任何请求</translation>
  </message>
  <message>
   <source>running, waiting, queue time</source>
   <translation>运行、等待、排队时间</translation>
  </message>
  <message>
   <source>Chunked prefill</source>
   <translation>分块预填充</translation>
  </message>
  <message>
   <source>splits a long prefill over several steps</source>
   <translation>将长的预填充分到若干步</translation>
  </message>
  <message>
   <source>long-prompt latency, disturbance of decoding requests</source>
   <translation>长提示的延迟、对解码请求的干扰</translation>
  </message>
  <message>
   <source>Long-prefill threshold</source>
   <translation>长预填充阈值</translation>
  </message>
  <message>
   <source>prompt tokens that one request may take of a step while others are there</source>
   <translation>有其他请求时，单个请求在一步中可占的提示 token</translation>
  </message>
  <message>
   <source>TTFT of long prompts, gaps of decoding requests</source>
   <translation>长提示的 TTFT、解码请求的间隔</translation>
  </message>
  <message>
   <source>Adaptive long-prefill threshold</source>
   <translation>自适应长预填充阈值</translation>
  </message>
  <message>
   <source>raises the threshold to an equal share of the token budget when few requests are there</source>
   <translation>请求少时将阈值提高到 token 预算的均分份额</translation>
  </message>
  <message>
   <source>Scheduled tokens</source>
   <translation>调度的 token</translation>
  </message>
  <message>
   <source>tokens scheduled in one step where that is to be below the token budget</source>
   <translation>当须低于 token 预算时，一步中调度的 token</translation>
  </message>
  <message>
   <source>throughput, TTFT, inter-token latency</source>
   <translation>吞吐、TTFT、token 间延迟</translation>
  </message>
  <message>
   <source>Requests admitted</source>
   <translation>准入请求数</translation>
  </message>
  <message>
   <source>requests in the server, waiting and running; one more is rejected with 503</source>
   <translation>服务器内等待与运行的请求；再多一个即以 503 拒绝</translation>
  </message>
  <message>
   <source>rejection rate, queue time, whether overload is passed on to callers</source>
   <translation>拒绝率、排队时间、过载是否传给调用方</translation>
  </message>
  <message>
   <source>Prompt tokens admitted</source>
   <translation>准入提示 token</translation>
  </message>
  <message>
   <source>prompt tokens of requests without output yet; at this backlog the next one is rejected with 503</source>
   <translation>尚无输出的请求的提示 token;积压至此，下一个即以 503 拒绝</translation>
  </message>
  <message>
   <source>Scheduling policy</source>
   <translation>调度策略</translation>
  </message>
  <message>
   <source>who is next of the waiting, and who is preempted</source>
   <translation>等待者中谁是下一个，谁被抢占</translation>
  </message>
  <message>
   <source>queue time per class, preemptions per class</source>
   <translation>各类别的排队时间、各类别的抢占</translation>
  </message>
  <message>
   <source>Asynchronous scheduling</source>
   <translation>异步调度</translation>
  </message>
  <message>
   <source>schedules a step while the one before still runs</source>
   <translation>在前一步仍运行时调度下一步</translation>
  </message>
  <message>
   <source>output tokens/s, inter-token latency</source>
   <translation>输出 token/s、token 间延迟</translation>
  </message>
  <message>
   <source>Full-prompt gate</source>
   <translation>整提示准入</translation>
  </message>
  <message>
   <source>admits a request only when its whole prompt fits the free KV blocks at that moment</source>
   <translation>仅当整个提示放得进当时空闲的 KV 块才准入请求</translation>
  </message>
  <message>
   <source>preemptions, queue time of long prompts</source>
   <translation>抢占、长提示的排队时间</translation>
  </message>
  <message>
   <source>KV watermark</source>
   <translation>KV 水位</translation>
  </message>
  <message>
   <source>share of the KV blocks that admission leaves free while others run</source>
   <translation>有其他请求运行时，准入所留空的 KV 块份额</translation>
  </message>
  <message>
   <source>preemptions, running requests</source>
   <translation>抢占、运行中的请求</translation>
  </message>
  <message>
   <source>KV blocks</source>
   <translation>KV 块</translation>
  </message>
  <message>
   <source>active context: the number of KV-cache blocks, one of them unusable</source>
   <translation>活动上下文：KV 缓存块的数量，其中一块不可用</translation>
  </message>
  <message>
   <source>preemptions, recomputation, KV usage</source>
   <translation>抢占、重新计算、KV 使用率</translation>
  </message>
  <message>
   <source>Block size</source>
   <translation>块大小</translation>
  </message>
  <message>
   <source>tokens that share one KV-cache block</source>
   <translation>共用一个 KV 缓存块的 token</translation>
  </message>
  <message>
   <source>KV usage, prefix-cache hits</source>
   <translation>KV 使用率、前缀缓存命中</translation>
  </message>
  <message>
   <source>GPU memory share</source>
   <translation>GPU 显存份额</translation>
  </message>
  <message>
   <source>share of the GPU's memory that this server plans with</source>
   <translation>此服务器规划使用的 GPU 显存份额</translation>
  </message>
  <message>
   <source>KV blocks, preemptions, out-of-memory failures</source>
   <translation>KV 块、抢占、显存不足的失败</translation>
  </message>
  <message>
   <source>KV-cache type</source>
   <translation>KV 缓存类型</translation>
  </message>
  <message>
   <source>bytes that a token's context takes; it can change answers</source>
   <translation>一个 token 的上下文所占字节；可能改变回答</translation>
  </message>
  <message>
   <source>KV blocks, preemptions, answer quality</source>
   <translation>KV 块、抢占、回答质量</translation>
  </message>
  <message>
   <source>Longest context</source>
   <translation>最长上下文</translation>
  </message>
  <message>
   <source>prompt and output of one request together</source>
   <translation>单个请求的提示与输出合计</translation>
  </message>
  <message>
   <source>refused requests, maximum concurrency</source>
   <translation>被拒绝的请求、最大并发</translation>
  </message>
  <message>
   <source>Prefix caching</source>
   <translation>前缀缓存</translation>
  </message>
  <message>
   <source>keeps the KV blocks of finished prompts for requests that begin alike</source>
   <translation>为开头相同的请求保留已完成提示的 KV 块</translation>
  </message>
  <message>
   <source>TTFT, prefix hits, KV usage</source>
   <translation>TTFT、前缀命中、KV 使用率</translation>
  </message>
  <message>
   <source>Stream interval</source>
   <translation>流间隔</translation>
  </message>
  <message>
   <source>tokens that are sent to the client together</source>
   <translation>一并发送给客户端的 token</translation>
  </message>
  <message>
   <source>gaps between events, host CPU</source>
   <translation>事件间隔、主机 CPU</translation>
  </message>
  <message>
   <source>Number type</source>
   <translation>数值类型</translation>
  </message>
  <message>
   <source>precision, and with it memory and time of a step; it can change answers</source>
   <translation>精度，以及随之的内存与步时间；可能改变回答</translation>
  </message>
  <message>
   <source>output tokens/s, KV blocks, answer quality</source>
   <translation>输出 token/s、KV 块、回答质量</translation>
  </message>
  <message>
   <source>Quantisation</source>
   <translation>量化</translation>
  </message>
  <message>
   <source>bytes of the weights, and with them what is left for context; it can change answers</source>
   <translation>权重的字节数，以及留给上下文的空间；可能改变回答</translation>
  </message>
  <message>
   <source>KV blocks, inter-token latency, answer quality</source>
   <translation>KV 块、token 间延迟、回答质量</translation>
  </message>
  <message>
   <source>No CUDA graphs</source>
   <translation>不用 CUDA 图</translation>
  </message>
  <message>
   <source>captured graphs: without them a step's launch costs more and some memory is free</source>
   <translation>捕获的图：没有它们，启动一步的代价更大，但空出一些内存</translation>
  </message>
  <message>
   <source>inter-token latency at few requests, KV blocks</source>
   <translation>请求少时的 token 间延迟、KV 块</translation>
  </message>
  <message>
   <source>State type</source>
   <translation>状态类型</translation>
  </message>
  <message>
   <source>bytes of a state-space model's state; it can change answers</source>
   <translation>状态空间模型的状态字节数；可能改变回答</translation>
  </message>
  <message>
   <source>KV blocks, answer quality</source>
   <translation>KV 块、回答质量</translation>
  </message>
  <message>
   <source>Fast prefill of shared layers</source>
   <translation>共享层的快速预填充</translation>
  </message>
  <message>
   <source>prefill of models whose layers share their KV cache; it can change answers</source>
   <translation>各层共享 KV 缓存的模型的预填充；可能改变回答</translation>
  </message>
  <message>
   <source>TTFT, answer quality</source>
   <translation>TTFT、回答质量</translation>
  </message>
  <message>
   <source>Weights in host memory</source>
   <translation>主机内存中的权重</translation>
  </message>
  <message>
   <source>GPU memory that weights take: so much of them lies in host memory and crosses the bus each step</source>
   <translation>权重所占的显存：其中这么多放在主机内存，每步经总线传输</translation>
  </message>
  <message>
   <source>KV blocks, inter-token latency</source>
   <translation>KV 块、token 间延迟</translation>
  </message>
  <message>
   <source>KV cache in host memory</source>
   <translation>主机内存中的 KV 缓存</translation>
  </message>
  <message>
   <source>finished prefixes that are kept in host memory beyond the GPU's KV cache</source>
   <translation>GPU 的 KV 缓存之外，保留在主机内存中的已完成前缀</translation>
  </message>
  <message>
   <source>prefix hits, TTFT</source>
   <translation>前缀命中、TTFT</translation>
  </message>
  <message>
   <source>KV-cache memory</source>
   <translation>KV 缓存显存</translation>
  </message>
  <message>
   <source>active context: bytes of the KV cache on each GPU, in place of a share of its memory</source>
   <translation>活动上下文：每个 GPU 上 KV 缓存的字节数，代替显存份额</translation>
  </message>
  <message>
   <source>KV blocks, preemptions</source>
   <translation>KV 块、抢占</translation>
  </message>
  <message>
   <source>Prefix hash</source>
   <translation>前缀哈希</translation>
  </message>
  <message>
   <source>host time to recognise a prefix</source>
   <translation>识别前缀的主机时间</translation>
  </message>
  <message>
   <source>host CPU, TTFT of long prompts</source>
   <translation>主机 CPU、长提示的 TTFT</translation>
  </message>
  <message>
   <source>Prefill interval</source>
   <translation>预填充间隔</translation>
  </message>
  <message>
   <source>how often new prompts join: every so many steps</source>
   <translation>新提示加入的频度：每若干步一次</translation>
  </message>
  <message>
   <source>inter-token latency, TTFT</source>
   <translation>token 间延迟、TTFT</translation>
  </message>
  <message>
   <source>One KV cache for all layers</source>
   <translation>所有层同一 KV 缓存</translation>
  </message>
  <message>
   <source>saving of blocks where layers see a window only: with it every layer keeps the whole context</source>
   <translation>在各层只看窗口处的节省：启用后每层都保留全部上下文</translation>
  </message>
  <message>
   <source>Images in one step</source>
   <translation>一步内的图像</translation>
  </message>
  <message>
   <source>whether an image's tokens may be spread over steps</source>
   <translation>图像的 token 是否可分到多步</translation>
  </message>
  <message>
   <source>TTFT and inter-token latency of multimodal requests</source>
   <translation>多模态请求的 TTFT 与 token 间延迟</translation>
  </message>
  <message>
   <source>Static batching (to teach)</source>
   <translation>静态批处理(教学用)</translation>
  </message>
  <message>
   <source>nobody joins a batch until its last member has ended; not vLLM's: the embedded engine's alone</source>
   <translation>批内最后一个结束之前无人可加入；非 vLLM 所有，仅内置引擎有</translation>
  </message>
  <message>
   <source>queue time, running requests, output tokens/s</source>
   <translation>排队时间、运行中的请求、输出 token/s</translation>
  </message>
  <message>
   <source>Client-side admission</source>
   <translation>客户端准入</translation>
  </message>
  <message>
   <source>requests that the caller has open at once; the others wait at the caller</source>
   <translation>调用方同时打开的请求；其余在调用方等待</translation>
  </message>
  <message>
   <source>admission wait (part of TTFT), queue time</source>
   <translation>准入等待(TTFT 的一部分)、排队时间</translation>
  </message>
  <message>
   <source>Queue timeout</source>
   <translation>排队超时</translation>
  </message>
  <message>
   <source>how long a caller waits for the first token before it gives up</source>
   <translation>调用方等待首个 token 多久后放弃</translation>
  </message>
  <message>
   <source>timed-out requests, queue time</source>
   <translation>超时的请求、排队时间</translation>
  </message>
 </context>
 <context>
  <name>demos</name>
  <message>
   <source>The bounded queue</source>
   <translation>有界队列</translation>
  </message>
  <message>
   <source>80 requests more come at once. Should they all wait, or should some hear no at once?</source>
   <translation>又有 80 个请求同时到来。应让它们全部等待，还是让一些立即被拒绝？</translation>
  </message>
  <message>
   <source>16 seats serve 7 requests a second, and 5 a second come: all is well. At 20 s eighty more arrive in one moment.</source>
   <translation>16 个席位每秒服务 7 个请求，每秒来 5 个：一切正常。到 20 s 时，又有八十个在一瞬间到达。</translation>
  </message>
  <message>
   <source>Without a limit all are taken in, and the last of them waits 11 s for its first token, as does whoever comes after.</source>
   <translation>没有限制时全部接纳，其中最后一个要等 11 s 才得到首个 token，其后到来者也一样。</translation>
  </message>
  <message>
   <source>With a limit on unfinished requests (max_num_queued_reqs, which counts the running ones too) those over it are told 503 at once; the rest wait less.</source>
   <translation>对未完成请求设限(max_num_queued_reqs，也计入运行中的)时，超出者立即得到 503；其余等得更短。</translation>
  </message>
  <message>
   <source>The capacity is the same in all three. One only chooses who pays: everybody with time, or some with a refusal they can act on.</source>
   <translation>三者的容量相同。所选的只是由谁付出代价：人人付出时间，或一部分人得到一个可据以行动的拒绝。</translation>
  </message>
  <message>
   <source>The last of the eighty waits 10.9 s.</source>
   <translation>八十个中的最后一个等待 10.9 s。</translation>
  </message>
  <message>
   <source>50 are refused; nobody of the burst waits longer than 4.4 s.</source>
   <translation>50 个被拒绝；突发中无人等待超过 4.4 s。</translation>
  </message>
  <message>
   <source>66 are refused, and 2.2 s is the longest wait.</source>
   <translation>66 个被拒绝，最长等待为 2.2 s。</translation>
  </message>
  <message>
   <source>The KV cliff</source>
   <translation>KV 悬崖</translation>
  </message>
  <message>
   <source>24 jobs of 512 + 512 tokens, KV cache for 15 and a half of them. Let all in, or only those that fit?</source>
   <translation>24 个 512 + 512 token 的作业，KV 缓存只够其中十五个半。全部放入，还是只放得下的？</translation>
  </message>
  <message>
   <source>A request is admitted when its prompt fits; nothing is kept for what it will generate. 24 prompts fit. 24 whole requests don't.</source>
   <translation>提示放得下，请求便被接纳；不为其将生成的内容预留。24 个提示放得下，24 个完整请求放不下。</translation>
  </message>
  <message>
   <source>When blocks run out, the last admitted is preempted: its blocks are freed, and later its prompt and all that it has generated are computed again.</source>
   <translation>块用尽时，最后接纳者被抢占：释放其块，之后重新计算其提示及已生成的全部内容。</translation>
  </message>
  <message>
   <source>For those who were interrupted that is a freeze of up to 3.3 s in mid-sentence. And still the machine does more in total: with 15 seats the last nine jobs run by themselves, in steps that could have carried more.</source>
   <translation>对被打断者而言，这是句子中途最长 3.3 s 的停顿。然而机器总体上做得更多：15 个席位时，最后九个作业单独运行，而那些步本可承载更多。</translation>
  </message>
  <message>
   <source>Both sides are true. Whether a preemption is bad depends on who is reading: a batch job gains 13 %, a person loses patience.</source>
   <translation>两面都成立。抢占是否糟糕取决于谁在阅读：批处理作业获益 13 %，人则失去耐心。</translation>
  </message>
  <message>
   <source>9 preemptions, 7,225 tokens computed twice, one freeze of 3.3 s; 1,604 tokens/s.</source>
   <translation>9 次抢占，7,225 个 token 计算了两遍，一次 3.3 s 的停顿；1,604 token/s。</translation>
  </message>
  <message>
   <source>Nobody is ever interrupted; 1,422 tokens/s, and 9 jobs wait for the first 15 to end.</source>
   <translation>从无人被打断；1,422 token/s，9 个作业等待前 15 个结束。</translation>
  </message>
  <message>
   <source>Seats</source>
   <translation>席位</translation>
  </message>
  <message>
   <source>12 chats a second arrive. How many may run at once?</source>
   <translation>每秒到达 12 个聊天请求。允许多少个同时运行？</translation>
  </message>
  <message>
   <source>A seat is a place in the running list (max_num_seqs). Decoding costs a step little more for 32 requests than for 8, so seats are throughput.</source>
   <translation>席位是运行列表中的一个位置(max_num_seqs)。对一步而言，为 32 个请求解码只比为 8 个略贵，因此席位就是吞吐量。</translation>
  </message>
  <message>
   <source>With too few the queue grows without end: the percentiles depend on how long one looks, and no server flag is wrong but this one.</source>
   <translation>席位太少，队列便无止境地增长：百分位数取决于观察多久，而错的只有这一个服务器参数。</translation>
  </message>
  <message>
   <source>With enough, more change nothing: at 64 and at 128 seats the same 49 ever run. A limit that never binds can't be tuned.</source>
   <translation>席位足够后，再多也无变化：64 席与 128 席时最多都是同样的 49 个在运行。从不起作用的限制无从调优。</translation>
  </message>
  <message>
   <source>3.9 completed a second of 12 that come.</source>
   <translation>每秒到来 12 个，完成 3.9 个。</translation>
  </message>
  <message>
   <source>7.3 a second; 280 wait when the minute is over.</source>
   <translation>每秒 7.3 个；一分钟结束时有 280 个在等待。</translation>
  </message>
  <message>
   <source>Keeps up, but only just: a cluster of arrivals makes some wait 0.7 s.</source>
   <translation>跟得上，但只是勉强：一阵集中的到达让一些请求等待 0.7 s。</translation>
  </message>
  <message>
   <source>Nobody ever waits for a seat: 49 run at most.</source>
   <translation>从无人等待席位：最多 49 个在运行。</translation>
  </message>
  <message>
   <source>The same figures: the limit never bound.</source>
   <translation>数字相同：该限制从未起作用。</translation>
  </message>
  <message>
   <source>Static against continuous batching</source>
   <translation>静态批处理与连续批处理</translation>
  </message>
  <message>
   <source>A short chat arrives while a long document is being answered. When does its first token come?</source>
   <translation>在回答长文档时到来一个短聊天。它的首个 token 何时到来？</translation>
  </message>
  <message>
   <source>Chat A and a document of 8,000 tokens start together. Half a second later chat B arrives: 200 tokens, like A.</source>
   <translation>聊天 A 与一份 8,000 token 的文档一同开始。半秒后聊天 B 到来：200 token，与 A 一样。</translation>
  </message>
  <message>
   <source>Under static batching the batch is closed. A finished long ago and its seat stands empty, but B waits until the document's last token.</source>
   <translation>静态批处理下批次是封闭的。A 早已结束，席位空着，但 B 要等到文档的最后一个 token。</translation>
  </message>
  <message>
   <source>Under continuous batching the scheduler decides anew at every step: B joins the very next one, and the document ends 8 ms later for it.</source>
   <translation>连续批处理下，调度器每一步都重新决定：B 加入紧接着的一步，文档因此晚 8 ms 结束。</translation>
  </message>
  <message>
   <source>B waits 5.9 s for a seat that has been empty for most of that time.</source>
   <translation>B 等待 5.9 s，而那个席位大部分时间是空的。</translation>
  </message>
  <message>
   <source>B waits for the step in progress, 4 ms, and has its first token 14 ms after it came.</source>
   <translation>B 等待进行中的那一步 4 ms，到来后 14 ms 便有首个 token。</translation>
  </message>
  <message>
   <source>The token budget</source>
   <translation>Token 预算</translation>
  </message>
  <message>
   <source>32 chats stream smoothly. Then a document of 16,000 tokens arrives. Who feels it?</source>
   <translation>32 个聊天流畅输出。随后到来一份 16,000 token 的文档。谁会有感觉？</translation>
  </message>
  <message>
   <source>The budget is the number of tokens that one step may compute. Decodes take one each; what is left goes to the document's prompt.</source>
   <translation>预算是一步可计算的 token 数。每个解码占一个；余下的给文档的提示。</translation>
  </message>
  <message>
   <source>A large budget swallows the document in one or two long steps: its first token comes soon, and every chat stands still that long.</source>
   <translation>大预算用一两个长步吞下文档：其首个 token 很快到来，而每个聊天在此期间停顿。</translation>
  </message>
  <message>
   <source>A small budget cuts it into many short steps: the chats hardly notice, and the document waits almost twice as long.</source>
   <translation>小预算把它切成许多短步：聊天几乎无感，而文档等待近两倍之久。</translation>
  </message>
  <message>
   <source>A long-prefill threshold caps one prompt's share of a step while others contend: a small budget's smoothness for the chats, and the large budget's room when many short prompts come at once.</source>
   <translation>长预填充阈值在有竞争时限制单个提示在一步中的份额：聊天有小预算的流畅，而许多短提示同时到来时又有大预算的余地。</translation>
  </message>
  <message>
   <source>Gaps of 24 ms at worst; the document's first token after 660 ms.</source>
   <translation>最差间隔 24 ms；文档的首个 token 在 660 ms 后。</translation>
  </message>
  <message>
   <source>A middle: 418 ms for the document, 64 ms in the chats.</source>
   <translation>居中：文档 418 ms，聊天中 64 ms。</translation>
  </message>
  <message>
   <source>vLLM's default on this card: the chats freeze for a fifth of a second.</source>
   <translation>vLLM 在此卡上的默认值：聊天停顿五分之一秒。</translation>
  </message>
  <message>
   <source>The document gains 9 ms more, the chats lose another 137.</source>
   <translation>文档再快 9 ms，聊天再损失 137 ms。</translation>
  </message>
  <message>
   <source>The large budget with one prompt held to 512 tokens a step: the chats are smooth again.</source>
   <translation>大预算，但单个提示每步限 512 token：聊天重新流畅。</translation>
  </message>
 </context>
 <context>
  <name>docks</name>
  <message>
   <source>Experiment</source>
   <translation>实验</translation>
  </message>
  <message>
   <source>What is happening</source>
   <translation>正在发生什么</translation>
  </message>
  <message>
   <source>Live limits</source>
   <translation>在线限制</translation>
  </message>
  <message>
   <source>Scorecard</source>
   <translation>记分卡</translation>
  </message>
  <message>
   <source>Requests</source>
   <translation>请求</translation>
  </message>
  <message>
   <source>Session</source>
   <translation>会话</translation>
  </message>
  <message>
   <source>Server</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>Log</source>
   <translation>日志</translation>
  </message>
 </context>
 <context>
  <name>limits</name>
  <message>
   <source>KV blocks withheld</source>
   <translation>扣留的 KV 块</translation>
  </message>
 </context>
 <context>
  <name>manual</name>
  <message>
   <source>User guide</source>
   <translation>用户指南</translation>
  </message>
  <message>
   <source>What the figures mean</source>
   <translation>数字的含义</translation>
  </message>
  <message>
   <source>The scorecard</source>
   <translation>记分卡</translation>
  </message>
  <message>
   <source>Which limit binds</source>
   <translation>哪个限制在起作用</translation>
  </message>
  <message>
   <source>Why tools differ</source>
   <translation>各工具为何不同</translation>
  </message>
  <message>
   <source>Workloads</source>
   <translation>负载</translation>
  </message>
  <message>
   <source>Servers</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>Sizing</source>
   <translation>容量估算</translation>
  </message>
  <message>
   <source>One scheduling step</source>
   <translation>一个调度步</translation>
  </message>
  <message>
   <source>The embedded engine</source>
   <translation>内置引擎</translation>
  </message>
  <message>
   <source>Events</source>
   <translation>事件</translation>
  </message>
  <message>
   <source>How it is built</source>
   <translation>它的构造</translation>
  </message>
 </context>
 <context>
  <name>narration</name>
  <message>
   <source>Nothing runs</source>
   <translation>没有运行</translation>
  </message>
  <message>
   <source>Run the demo, or an experiment of your own.</source>
   <translation>运行演示，或运行您自己的实验。</translation>
  </message>
  <message>
   <source>The plan did not start</source>
   <translation>计划未能开始</translation>
  </message>
  <message>
   <source>The message above the plots says why.</source>
   <translation>图表上方的消息说明了原因。</translation>
  </message>
  <message>
   <source>The server starts</source>
   <translation>服务器正在启动</translation>
  </message>
  <message>
   <source>Between runs</source>
   <translation>运行之间</translation>
  </message>
  <message>
   <source>The next configuration's server starts, its cache empty.</source>
   <translation>下一配置的服务器正在启动，缓存为空。</translation>
  </message>
  <message>
   <source>The plan is being prepared.</source>
   <translation>正在准备计划。</translation>
  </message>
  <message>
   <source>The server is {0}.</source>
   <translation>服务器为 {0}。</translation>
  </message>
  <message>
   <source>It is the embedded engine, stepping as {0} would; its figures carry {1}.</source>
   <translation>这是内置引擎，按 {0} 的方式步进；其数字带有 {1}。</translation>
  </message>
  <message>
   <source>{0} runs, the baseline first; each gets the same requests.</source>
   <translation>共 {0} 次运行，基线在先；每次收到相同的请求。</translation>
  </message>
  <message>
   <source>{0} preemptions: that work is computed twice.</source>
   <translation>{0} 次抢占：这些工作被计算了两遍。</translation>
  </message>
  <message>
   <source>The first requests are on their way.</source>
   <translation>首批请求正在路上。</translation>
  </message>
  <message>
   <source>{0} requests run, {1} wait.</source>
   <translation>{0} 个请求在运行，{1} 个在等待。</translation>
  </message>
  <message>
   <source>{0} requests run, none waits.</source>
   <translation>{0} 个请求在运行，没有等待。</translation>
  </message>
  <message>
   <source>Grey is “{0}” under the same requests.</source>
   <translation>灰色为相同请求下的“{0}”。</translation>
  </message>
  <message>
   <source>Grey is the baseline under the same requests.</source>
   <translation>灰色是相同请求下的基线。</translation>
  </message>
  <message>
   <source>It completes {0} of {1} req/s: the rest pile up.</source>
   <translation>每秒 {1} 个请求中完成 {0} 个：其余堆积。</translation>
  </message>
  <message>
   <source>It keeps up with {0} req/s.</source>
   <translation>跟得上每秒 {0} 个请求。</translation>
  </message>
  <message>
   <source>What was seen</source>
   <translation>所见</translation>
  </message>
  <message>
   <source>Stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>It ended early</source>
   <translation>提前结束</translation>
  </message>
  <message>
   <source>Results</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>Best of what meets the objectives: {0}.</source>
   <translation>满足目标者中的最优：{0}。</translation>
  </message>
  <message>
   <source>{0} of {1} runs are in the scorecard.</source>
   <translation>{1} 次运行中的 {0} 次已在记分卡中。</translation>
  </message>
 </context>
 <context>
  <name>numbers</name>
  <message>
   <source>Give a whole number, {0} or more.</source>
   <translation>请给出整数，不小于 {0}。</translation>
  </message>
  <message>
   <source>Give a number, {0} or more.</source>
   <translation>请给出数字，不小于 {0}。</translation>
  </message>
  <message>
   <source>Give a whole number, {0} to {1}.</source>
   <translation>请给出整数，{0} 至 {1}。</translation>
  </message>
  <message>
   <source>Give a number, {0} to {1}.</source>
   <translation>请给出数字，{0} 至 {1}。</translation>
  </message>
  <message>
   <source>“{0}” can't be.</source>
   <translation>“{0}”不可用。</translation>
  </message>
  <message>
   <source>It takes {0} decimals.</source>
   <translation>最多 {0} 位小数。</translation>
  </message>
  <message>
   <source>It stays {0}.</source>
   <translation>仍为 {0}。</translation>
  </message>
 </context>
 <context>
  <name>plots</name>
  <message>
   <source>Offered</source>
   <translation>给出</translation>
  </message>
  <message>
   <source>req/s</source>
   <translation>请求/s</translation>
  </message>
  <message>
   <source>Completed</source>
   <translation>完成</translation>
  </message>
  <message>
   <source>requests</source>
   <translation>请求数</translation>
  </message>
  <message>
   <source>Failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>p50 TTFT</source>
   <translation>p50 TTFT</translation>
  </message>
  <message>
   <source>s</source>
   <translation>s</translation>
  </message>
  <message>
   <source>p95 TTFT</source>
   <translation>p95 TTFT</translation>
  </message>
  <message>
   <source>p50 TPOT</source>
   <translation>p50 TPOT</translation>
  </message>
  <message>
   <source>ms</source>
   <translation>ms</translation>
  </message>
  <message>
   <source>p95 ITL</source>
   <translation>p95 ITL</translation>
  </message>
  <message>
   <source>p95 E2E</source>
   <translation>p95 E2E</translation>
  </message>
  <message>
   <source>Output</source>
   <translation>输出</translation>
  </message>
  <message>
   <source>tokens/s</source>
   <translation>token/s</translation>
  </message>
  <message>
   <source>run</source>
   <translation>全程</translation>
  </message>
  <message>
   <source>prompts</source>
   <translation>提示</translation>
  </message>
  <message>
   <source>longest</source>
   <translation>最长</translation>
  </message>
  <message>
   <source>under way</source>
   <translation>进行中</translation>
  </message>
  <message>
   <source>first</source>
   <translation>最早</translation>
  </message>
  <message>
   <source>No prompt is longer than a step takes ({0} tokens)</source>
   <translation>没有比一步所取（{0} token）更长的提示</translation>
  </message>
  <message>
   <source>peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>The server does not tell: it has no metrics page, or not this series</source>
   <translation>服务器未提供：它没有指标页，或没有这一序列</translation>
  </message>
  <message>
   <source>Running, waiting</source>
   <translation>运行、等待</translation>
  </message>
  <message>
   <source>running</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>waiting</source>
   <translation>等待</translation>
  </message>
  <message>
   <source>limit</source>
   <translation>上限</translation>
  </message>
  <message>
   <source>Requests that the scheduler computes, and those that wait for a seat, token budget or KV blocks. Waiting that only grows means that the server can't keep up with the offered rate.</source>
   <translation>调度器正在计算的请求，以及等待席位、token 预算或 KV 块的请求。等待数只增不减，说明服务器跟不上所给的速率。</translation>
  </message>
  <message>
   <source>TTFT</source>
   <translation>TTFT</translation>
  </message>
  <message>
   <source>p50</source>
   <translation>p50</translation>
  </message>
  <message>
   <source>p95</source>
   <translation>p95</translation>
  </message>
  <message>
   <source>oldest</source>
   <translation>最久</translation>
  </message>
  <message>
   <source>objective</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>Time from when a request was due to its first token, over the last seconds; and the age of the oldest request that still has none, which shows trouble before any percentile does.</source>
   <translation>最近数秒内从请求到期至首个 token 的时间；以及仍无 token 的最久请求的等待时间，它先于任何百分位显出问题。</translation>
  </message>
  <message>
   <source>No request has had its first token</source>
   <translation>尚无请求得到首个 token</translation>
  </message>
  <message>
   <source>KV cache</source>
   <translation>KV 缓存</translation>
  </message>
  <message>
   <source>%</source>
   <translation>%</translation>
  </message>
  <message>
   <source>used</source>
   <translation>已用</translation>
  </message>
  <message>
   <source>Share of the KV-cache blocks that hold the context of running requests. ▲ marks preemptions.</source>
   <translation>存有运行中请求上下文的 KV 缓存块的份额。▲ 表示抢占。</translation>
  </message>
  <message>
   <source>Parts of TTFT</source>
   <translation>TTFT 的组成</translation>
  </message>
  <message>
   <source>queue</source>
   <translation>排队</translation>
  </message>
  <message>
   <source>prefill</source>
   <translation>预填充</translation>
  </message>
  <message>
   <source>outside</source>
   <translation>引擎之外</translation>
  </message>
  <message>
   <source>Means over requests that finished just now: how long they had waited until they were first scheduled, from then to their first token, and what of TTFT passed outside the scheduler (client, network, front end). The last two are known where the server reports each request.</source>
   <translation>刚完成的请求的平均值：直至首次调度的等待、由此至首个 token 的时间，以及 TTFT 中在调度器之外(客户端、网络、前端)度过的部分。后两项仅在服务器逐请求报告时可知。</translation>
  </message>
  <message>
   <source>Known once requests have finished</source>
   <translation>有请求完成后可知</translation>
  </message>
  <message>
   <source>Long prompts</source>
   <translation>长提示</translation>
  </message>
  <message>
   <source>% computed</source>
   <translation>已计算 %</translation>
  </message>
  <message>
   <source>A line for each prompt that is longer than a step takes, from its first step to its last: how much of it has been computed. A line that lies flat waits behind other prompts.</source>
   <translation>每个比一步所取更长的提示一条线，从其首步到末步：已计算了多少。平直的线在其他提示之后等待。</translation>
  </message>
  <message>
   <source>Known where the server's steps are recorded: Server, “record every step of the scheduler”</source>
   <translation>在记录服务器各步时可知：服务器，“记录调度器的每一步”</translation>
  </message>
  <message>
   <source>ITL</source>
   <translation>ITL</translation>
  </message>
  <message>
   <source>Gaps between output tokens, pooled over the tokens of requests that finished just now.</source>
   <translation>输出 token 之间的间隔，汇集刚完成的请求的所有 token。</translation>
  </message>
  <message>
   <source>Tokens</source>
   <translation>Token</translation>
  </message>
  <message>
   <source>in</source>
   <translation>输入</translation>
  </message>
  <message>
   <source>out</source>
   <translation>输出</translation>
  </message>
  <message>
   <source>Prompt tokens computed and output tokens generated, a second.</source>
   <translation>每秒计算的提示 token 与生成的输出 token。</translation>
  </message>
  <message>
   <source>Requests</source>
   <translation>请求</translation>
  </message>
  <message>
   <source>offered</source>
   <translation>给出</translation>
  </message>
  <message>
   <source>completed</source>
   <translation>完成</translation>
  </message>
  <message>
   <source>rejected</source>
   <translation>被拒绝</translation>
  </message>
  <message>
   <source>Requests that were due, that completed and that were rejected, over the last seconds.</source>
   <translation>最近数秒内到期、完成与被拒绝的请求。</translation>
  </message>
  <message>
   <source>No request was due</source>
   <translation>没有到期的请求</translation>
  </message>
  <message>
   <source>CPU</source>
   <translation>CPU</translation>
  </message>
  <message>
   <source>cores</source>
   <translation>核</translation>
  </message>
  <message>
   <source>engine</source>
   <translation>引擎</translation>
  </message>
  <message>
   <source>API</source>
   <translation>API</translation>
  </message>
  <message>
   <source>client</source>
   <translation>客户端</translation>
  </message>
  <message>
   <source>Cores busy with the engine's process, with the server's HTTP process, and with the busiest of the load workers. One that stays at a whole core can be what limits.</source>
   <translation>引擎进程、服务器 HTTP 进程以及最忙的负载进程所占用的核。长期占满一个核者可能就是瓶颈。</translation>
  </message>
  <message>
   <source>Not recorded in this run</source>
   <translation>这次运行未记录</translation>
  </message>
  <message>
   <source>GPU</source>
   <translation>GPU</translation>
  </message>
  <message>
   <source>busy</source>
   <translation>忙碌</translation>
  </message>
  <message>
   <source>memory</source>
   <translation>显存</translation>
  </message>
  <message>
   <source>Share of the time in which any kernel ran, and of the memory in use, of the busiest and fullest GPU. A simulated server has none.</source>
   <translation>最忙与最满的 GPU 上有内核运行的时间份额与显存占用份额。模拟服务器没有。</translation>
  </message>
  <message>
   <source>No GPU was seen; a simulated server has none</source>
   <translation>未见 GPU；模拟的服务器没有 GPU</translation>
  </message>
  <message>
   <source>mean</source>
   <translation>均值</translation>
  </message>
  <message>
   <source>at the end</source>
   <translation>结束时</translation>
  </message>
  <message>
   <source>end</source>
   <translation>末尾</translation>
  </message>
  <message>
   <source>{0} runs</source>
   <translation>{0} 次运行</translation>
  </message>
  <message>
   <source>mean of the run</source>
   <translation>整次运行的均值</translation>
  </message>
  <message>
   <source>whole run</source>
   <translation>整次运行</translation>
  </message>
 </context>
 <context>
  <name>problems</name>
  <message>
   <source>Give the experiment a name.</source>
   <translation>请为实验命名。</translation>
  </message>
  <message>
   <source>Choose the bench file whose plan is to be measured again.</source>
   <translation>请选择要重新测量其计划的基准文件。</translation>
  </message>
  <message>
   <source>There is no file {0}.</source>
   <translation>没有文件 {0}。</translation>
  </message>
  <message>
   <source>Give the model: a folder, or its name on Hugging Face.</source>
   <translation>请给出模型：文件夹或其 Hugging Face 名称。</translation>
  </message>
  <message>
   <source>Give the machine: an alias of ~/.ssh/config, HOST, or USER@HOST:PORT.</source>
   <translation>请给出机器：~/.ssh/config 中的别名、HOST 或 USER@HOST:PORT。</translation>
  </message>
  <message>
   <source>Give the image, such as vllm/vllm-openai:v0.32.0.</source>
   <translation>请给出镜像，如 vllm/vllm-openai:v0.32.0。</translation>
  </message>
  <message>
   <source>This is no name of a variable: a key itself is never typed here, for drafts are stored.</source>
   <translation>这不是变量名：密钥本身从不在此输入，因为草稿会被保存。</translation>
  </message>
  <message>
   <source>Give the server's address, such as http://127.0.0.1:8000.</source>
   <translation>请给出服务器地址，如 http://127.0.0.1:8000。</translation>
  </message>
  <message>
   <source>These words can't be told apart: {0}.</source>
   <translation>无法拆分这些词：{0}。</translation>
  </message>
  <message>
   <source>Give a size such as 16g.</source>
   <translation>请给出大小，如 16g。</translation>
  </message>
  <message>
   <source>Choose one control to test.</source>
   <translation>请选择一个要测试的控制项。</translation>
  </message>
  <message>
   <source>A server that isn't ours can't be restarted. Test {0}, or start the server here.</source>
   <translation>不属于我们的服务器无法重启。请测试 {0}，或在此启动服务器。</translation>
  </message>
  <message>
   <source>Give at least one value to compare with the baseline.</source>
   <translation>请至少给出一个与基线比较的取值。</translation>
  </message>
  <message>
   <source>{0} is the baseline's own value: nothing would change.</source>
   <translation>{0} 就是基线的值：不会有任何变化。</translation>
  </message>
  <message>
   <source>Choose a trace file, or use synthetic requests.</source>
   <translation>请选择轨迹文件，或使用合成请求。</translation>
  </message>
  <message>
   <source>rate, in requests a second</source>
   <translation>速率(每秒请求数)</translation>
  </message>
  <message>
   <source>number of requests open at once</source>
   <translation>同时打开的请求数</translation>
  </message>
  <message>
   <source>Synthetic requests have no times of their own; give a rate.</source>
   <translation>合成请求没有自己的时间；请给出速率。</translation>
  </message>
  <message>
   <source>{0} is no time: give seconds above 0, or nothing.</source>
   <translation>{0} 不是时间：请给出大于 0 的秒数，或留空。</translation>
  </message>
  <message>
   <source>At given concurrency there is no rate that could change.</source>
   <translation>按给定并发时没有可变化的速率。</translation>
  </message>
  <message>
   <source>The highest rate must not be below the lowest.</source>
   <translation>最高速率不得低于最低速率。</translation>
  </message>
  <message>
   <source>The factor must be {0} or more.</source>
   <translation>系数须为 {0} 或更大。</translation>
  </message>
  <message>
   <source>Stopping early means nothing in an experiment of kind {0}.</source>
   <translation>对 {0} 类实验，提前停止没有意义。</translation>
  </message>
  <message>
   <source>Give at least one {0}.</source>
   <translation>请至少给出一个{0}。</translation>
  </message>
  <message>
   <source>{0} is no {1}: give a number above 0.</source>
   <translation>{0} 不是{1}:请给出大于 0 的数。</translation>
  </message>
  <message>
   <source>{0} is no number.</source>
   <translation>{0} 不是数字。</translation>
  </message>
  <message>
   <source>between 0 and 100 %</source>
   <translation>0 至 100 %</translation>
  </message>
  <message>
   <source>0 or more</source>
   <translation>0 或更大</translation>
  </message>
  <message>
   <source>Must be {0}.</source>
   <translation>须为 {0}。</translation>
  </message>
  <message>
   <source>Must be above 0 ms: no request could meet it.</source>
   <translation>须大于 0 ms:没有请求能满足。</translation>
  </message>
  <message>
   <source>{0} is no price: give a number above 0, or nothing.</source>
   <translation>{0} 不是价格：请给出大于 0 的数，或留空。</translation>
  </message>
  <message>
   <source>Name the currency, such as EUR.</source>
   <translation>请注明货币，如 EUR。</translation>
  </message>
  <message>
   <source>Say when the price was seen, as 2026-11-01.</source>
   <translation>请注明价格的日期，如 2026-11-01。</translation>
  </message>
  <message>
   <source>Say where the price comes from.</source>
   <translation>请注明价格的来源。</translation>
  </message>
 </context>
 <context>
  <name>remembered servers</name>
  <message>
   <source>{0}: the remembered servers can't be read: {1}</source>
   <translation>{0}：无法读取记住的服务器：{1}</translation>
  </message>
  <message>
   <source>{0}; it is not overwritten</source>
   <translation>{0}；未予覆盖</translation>
  </message>
  <message>
   <source>this remembered server can't be used: {0}</source>
   <translation>这个记住的服务器不可用：{0}</translation>
  </message>
 </context>
 <context>
  <name>requests</name>
  <message>
   <source>No.</source>
   <translation>编号</translation>
  </message>
  <message>
   <source>Place in the schedule, from 0.</source>
   <translation>在时间表中的位置，从 0 起。</translation>
  </message>
  <message>
   <source>Class</source>
   <translation>类别</translation>
  </message>
  <message>
   <source>Input</source>
   <translation>输入</translation>
  </message>
  <message>
   <source>tokens</source>
   <translation>token</translation>
  </message>
  <message>
   <source>Prompt tokens.</source>
   <translation>提示 token。</translation>
  </message>
  <message>
   <source>Output</source>
   <translation>输出</translation>
  </message>
  <message>
   <source>Output tokens received.</source>
   <translation>收到的输出 token。</translation>
  </message>
  <message>
   <source>Due</source>
   <translation>到期</translation>
  </message>
  <message>
   <source>s</source>
   <translation>s</translation>
  </message>
  <message>
   <source>When the schedule asked for it.</source>
   <translation>时间表要求的时刻。</translation>
  </message>
  <message>
   <source>TTFT</source>
   <translation>TTFT</translation>
  </message>
  <message>
   <source>From due to the first token; ≥ where none came until the end.</source>
   <translation>从到期至首个 token;直到结束仍无者记为 ≥。</translation>
  </message>
  <message>
   <source>Client</source>
   <translation>客户端</translation>
  </message>
  <message>
   <source>ms</source>
   <translation>ms</translation>
  </message>
  <message>
   <source>From due until it was sent: waits of the caller itself.</source>
   <translation>从到期至发出：调用方自身的等待。</translation>
  </message>
  <message>
   <source>Queue</source>
   <translation>排队</translation>
  </message>
  <message>
   <source>In the server's queue until first scheduled.</source>
   <translation>在服务器队列中直至首次调度。</translation>
  </message>
  <message>
   <source>Prefill</source>
   <translation>预填充</translation>
  </message>
  <message>
   <source>From scheduled to the first token made.</source>
   <translation>从调度至生成首个 token。</translation>
  </message>
  <message>
   <source>Outside</source>
   <translation>引擎之外</translation>
  </message>
  <message>
   <source>Of the time to the first token: neither queue nor prefill, so HTTP, tokenising, the way.</source>
   <translation>首个 token 之前的时间中既非排队也非预填充的部分：HTTP、分词、网络路程。</translation>
  </message>
  <message>
   <source>TPOT</source>
   <translation>TPOT</translation>
  </message>
  <message>
   <source>Time an output token after the first, on average.</source>
   <translation>首个之后每个输出 token 的平均时间。</translation>
  </message>
  <message>
   <source>E2E</source>
   <translation>E2E</translation>
  </message>
  <message>
   <source>From due to its end.</source>
   <translation>从到期至结束。</translation>
  </message>
  <message>
   <source>Waited again</source>
   <translation>再次等待</translation>
  </message>
  <message>
   <source>In the queue again after preemptions.</source>
   <translation>被抢占后再次排队。</translation>
  </message>
  <message>
   <source>Preempted</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>How often it was thrown out for want of KV blocks, where the scheduler's steps are recorded.</source>
   <translation>因缺少 KV 块被移出的次数，须记录调度器的步骤。</translation>
  </message>
  <message>
   <source>Outcome</source>
   <translation>结局</translation>
  </message>
  <message>
   <source>Asked</source>
   <translation>要求</translation>
  </message>
  <message>
   <source>Output tokens asked for.</source>
   <translation>所要求的输出 token。</translation>
  </message>
  <message>
   <source>Connect</source>
   <translation>连接</translation>
  </message>
  <message>
   <source>Time to open a connection.</source>
   <translation>建立连接的时间。</translation>
  </message>
  <message>
   <source>Retries</source>
   <translation>重试</translation>
  </message>
  <message>
   <source>HTTP</source>
   <translation>HTTP</translation>
  </message>
  <message>
   <source>Status of the answer.</source>
   <translation>应答的状态码。</translation>
  </message>
  <message>
   <source>Finish</source>
   <translation>结束原因</translation>
  </message>
  <message>
   <source>Why the server ended it.</source>
   <translation>服务器结束它的原因。</translation>
  </message>
  <message>
   <source>Session</source>
   <translation>会话</translation>
  </message>
  <message>
   <source>Turn</source>
   <translation>轮次</translation>
  </message>
  <message>
   <source>Id</source>
   <translation>标识</translation>
  </message>
  <message>
   <source>The X-Request-Id sent.</source>
   <translation>发送的 X-Request-Id。</translation>
  </message>
  <message>
   <source>Error</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>completed</source>
   <translation>完成</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>rejected</source>
   <translation>被拒绝</translation>
  </message>
  <message>
   <source>timed out</source>
   <translation>超时</translation>
  </message>
  <message>
   <source>cancelled</source>
   <translation>已取消</translation>
  </message>
  <message>
   <source>unfinished</source>
   <translation>未完成</translation>
  </message>
 </context>
 <context>
  <name>scorecard</name>
  <message>
   <source>Run</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>Offered</source>
   <translation>给出</translation>
  </message>
  <message>
   <source>req/s</source>
   <translation>请求/s</translation>
  </message>
  <message>
   <source>Requests scheduled a second.</source>
   <translation>每秒安排的请求。</translation>
  </message>
  <message>
   <source>Completed</source>
   <translation>完成</translation>
  </message>
  <message>
   <source>Requests completed a second.</source>
   <translation>每秒完成的请求。</translation>
  </message>
  <message>
   <source>p95 TTFT</source>
   <translation>p95 TTFT</translation>
  </message>
  <message>
   <source>s</source>
   <translation>s</translation>
  </message>
  <message>
   <source>From when a request was due to its first token; 95 of 100 were quicker.</source>
   <translation>从请求到期至首个 token;100 个中有 95 个更快。</translation>
  </message>
  <message>
   <source>p95 queue</source>
   <translation>p95 排队</translation>
  </message>
  <message>
   <source>Time in the server's queue until first scheduled; 95 of 100 waited less.</source>
   <translation>在服务器队列中直至首次调度的时间；100 个中有 95 个等待更短。</translation>
  </message>
  <message>
   <source>p95 E2E</source>
   <translation>p95 E2E</translation>
  </message>
  <message>
   <source>From when a request was due to its end; 95 of 100 were quicker.</source>
   <translation>从请求到期至结束；100 个中有 95 个更快。</translation>
  </message>
  <message>
   <source>Errors</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>Failed, rejected, timed out or unfinished.</source>
   <translation>失败、被拒绝、超时或未完成。</translation>
  </message>
  <message>
   <source>Preempted</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>Requests thrown out of the running set for want of KV blocks; their work is computed again.</source>
   <translation>因缺少 KV 块而被移出运行集合的请求；其工作将重新计算。</translation>
  </message>
  <message>
   <source>Objectives</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>Whether every objective is held, overall and in each class.</source>
   <translation>是否满足每个目标，总体与各类别。</translation>
  </message>
  <message>
   <source>Verdict</source>
   <translation>结论</translation>
  </message>
  <message>
   <source>The run beside its baseline; repeats are needed to tell a difference from chance.</source>
   <translation>运行与其基线的比较；须重复才能把差异与偶然区分开。</translation>
  </message>
  <message>
   <source>p50 TTFT</source>
   <translation>p50 TTFT</translation>
  </message>
  <message>
   <source>p95 ITL</source>
   <translation>p95 ITL</translation>
  </message>
  <message>
   <source>ms</source>
   <translation>ms</translation>
  </message>
  <message>
   <source>Gap between tokens.</source>
   <translation>token 之间的间隔。</translation>
  </message>
  <message>
   <source>Output</source>
   <translation>输出</translation>
  </message>
  <message>
   <source>tokens/s</source>
   <translation>token/s</translation>
  </message>
  <message>
   <source>Accepted</source>
   <translation>合格</translation>
  </message>
  <message>
   <source>Completed within all latency objectives.</source>
   <translation>在所有延迟目标之内完成。</translation>
  </message>
  <message>
   <source>Rejected</source>
   <translation>被拒绝</translation>
  </message>
  <message>
   <source>Also moved</source>
   <translation>同时变动</translation>
  </message>
  <message>
   <source>What the server says moved besides the control under test.</source>
   <translation>服务器报告的、受测控制项之外的变动。</translation>
  </message>
  <message>
   <source>KV peak</source>
   <translation>KV 峰值</translation>
  </message>
  <message>
   <source>running …</source>
   <translation>运行中 …</translation>
  </message>
  <message>
   <source>skipped</source>
   <translation>已跳过</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>partial</source>
   <translation>部分</translation>
  </message>
  <message>
   <source>baseline</source>
   <translation>基线</translation>
  </message>
 </context>
 <context>
  <name>settings</name>
  <message>
   <source>Appearance</source>
   <translation>外观</translation>
  </message>
  <message>
   <source>Light, dark, or as the system</source>
   <translation>浅色、深色或跟随系统</translation>
  </message>
  <message>
   <source>as the system</source>
   <translation>跟随系统</translation>
  </message>
  <message>
   <source>light</source>
   <translation>浅色</translation>
  </message>
  <message>
   <source>dark</source>
   <translation>深色</translation>
  </message>
  <message>
   <source>Language</source>
   <translation>语言</translation>
  </message>
  <message>
   <source>Of menus, panels and messages</source>
   <translation>菜单、面板与消息所用</translation>
  </message>
  <message>
   <source>English</source>
   <translation>English</translation>
  </message>
  <message>
   <source>简体中文</source>
   <translation>简体中文</translation>
  </message>
  <message>
   <source>Demo run (s)</source>
   <translation>演示运行 (s)</translation>
  </message>
  <message>
   <source>Simulated seconds of each of the demo's runs</source>
   <translation>演示中每次运行的模拟秒数</translation>
  </message>
  <message>
   <source>At a plan's end</source>
   <translation>计划结束时</translation>
  </message>
  <message>
   <source>Call for attention if the window is not in front</source>
   <translation>窗口不在前台时提醒注意</translation>
  </message>
 </context>
 <context>
  <name>settings file</name>
  <message>
   <source>The settings could not be read ({0}). Defaults are used; the old file is kept as {1}.</source>
   <translation>无法读取设置({0})。现用默认值；旧文件保留为 {1}。</translation>
  </message>
 </context>
 <context>
  <name>status line</name>
  <message>
   <source>no server</source>
   <translation>没有服务器</translation>
  </message>
  <message>
   <source>demo {0}: replayed exactly on {1}, figures {2} simulated</source>
   <translation>演示 {0}:在 {1} 上精确重放，数字为 {2} 模拟</translation>
  </message>
  <message>
   <source>bench file {0}</source>
   <translation>基准文件 {0}</translation>
  </message>
  <message>
   <source>no news for some seconds: what is shown is old</source>
   <translation>数秒没有新消息：所显示的已过时</translation>
  </message>
  <message>
   <source>run {0}/{1}</source>
   <translation>运行 {0}/{1}</translation>
  </message>
  <message>
   <source>offered {0} completed {1} req/s</source>
   <translation>给出 {0} 完成 {1} 请求/s</translation>
  </message>
  <message>
   <source>client delay p99 {0} ms</source>
   <translation>客户端延迟 p99 {0} ms</translation>
  </message>
  <message>
   <source>host CPU {0} %</source>
   <translation>主机 CPU {0} %</translation>
  </message>
  <message>
   <source>results in {0}</source>
   <translation>结果在 {0}</translation>
  </message>
  <message>
   <source>{0} left</source>
   <translation>剩余 {0}</translation>
  </message>
  <message>
   <source>server idle</source>
   <translation>服务器空闲</translation>
  </message>
  <message>
   <source>server starting</source>
   <translation>服务器正在启动</translation>
  </message>
  <message>
   <source>server ready</source>
   <translation>服务器就绪</translation>
  </message>
  <message>
   <source>server busy</source>
   <translation>服务器忙碌</translation>
  </message>
  <message>
   <source>server degraded</source>
   <translation>服务器有问题</translation>
  </message>
  <message>
   <source>server stopping</source>
   <translation>服务器正在停止</translation>
  </message>
  <message>
   <source>server stopped</source>
   <translation>服务器已停止</translation>
  </message>
  <message>
   <source>server failed</source>
   <translation>服务器失败</translation>
  </message>
  <message>
   <source>server unknown</source>
   <translation>服务器状态未知</translation>
  </message>
 </context>
 <context>
  <name>steps</name>
  <message>
   <source>divide all times by FACTOR (the trace's identity stays)</source>
   <translation>所有时间除以 FACTOR(轨迹的身份不变)</translation>
  </message>
  <message>
   <source>scale all times to a mean of R requests/s (the trace's identity stays)</source>
   <translation>把所有时间缩放到平均 R 请求/s(轨迹的身份不变)</translation>
  </message>
  <message>
   <source>spread requests that share a time over the tick of MS that follows it; auto: the commonest gap</source>
   <translation>把同一时刻的请求散布到其后 MS 的刻度内；auto：最常见的间隔</translation>
  </message>
  <message>
   <source>keep what arrives in these seconds</source>
   <translation>保留在这些秒内到达的请求</translation>
  </message>
  <message>
   <source>keep a random share of the sessions, whole</source>
   <translation>随机保留一部分完整会话</translation>
  </message>
  <message>
   <source>refuse, drop or clamp requests longer than TOKENS, prompt and output together</source>
   <translation>对提示加输出长于 TOKENS 的请求：refuse 拒绝、drop 丢弃或 clamp 截短</translation>
  </message>
  <message>
   <source>open: every turn at its own time; closed[:THINK_MS]: after the end of the turn before it</source>
   <translation>open：每轮按自己的时间；closed[:THINK_MS]：在上一轮结束之后</translation>
  </message>
  <message>
   <source>let sessions begin by a Poisson process of RATE a second</source>
   <translation>让会话按每秒 RATE 的泊松过程开始</translation>
  </message>
  <message>
   <source>let sessions change places</source>
   <translation>让会话互换位置</translation>
  </message>
  <message>
   <source>COPIES one after another; COPIES:overlay at once; :same-prefixes shares prefixes between them</source>
   <translation>COPIES 依次重复；COPIES:overlay 同时叠加；:same-prefixes 在其间共享前缀</translation>
  </message>
  <message>
   <source>keep the prefill-heavy or the decode-heavy requests only: prefill or decode</source>
   <translation>只保留偏预填充或偏解码的请求：prefill 或 decode</translation>
  </message>
  <message>
   <source>replace the times by poisson, constant or gamma:BURSTINESS arrivals of the same mean rate</source>
   <translation>把时间换成平均速率相同的 poisson、constant 或 gamma:BURSTINESS 到达</translation>
  </message>
  <message>
   <source>a rate that changes over time: ramp:FROM:TO:SECONDS, steps:RATE@SECONDS,RATE@SECONDS or bursts:BASE:PEAK:EVERY:FOR</source>
   <translation>随时间变化的速率：ramp:FROM:TO:SECONDS、steps:RATE@SECONDS,RATE@SECONDS 或 bursts:BASE:PEAK:EVERY:FOR</translation>
  </message>
  <message>
   <source>class all requests by prompt length, such as 512,2048,8192</source>
   <translation>按提示长度给所有请求分类，如 512,2048,8192</translation>
  </message>
 </context>
 <context>
  <name>verdict</name>
  <message>
   <source>p95 TTFT</source>
   <translation>p95 TTFT</translation>
  </message>
  <message>
   <source>p95 ITL</source>
   <translation>p95 ITL</translation>
  </message>
  <message>
   <source>p95 E2E</source>
   <translation>p95 E2E</translation>
  </message>
  <message>
   <source>p95 queue</source>
   <translation>p95 排队</translation>
  </message>
  <message>
   <source>errors</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>preemptions</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>TTFT grows as long as the run lasts: the server can't keep up, percentiles depend on its length</source>
   <translation>TTFT 随运行持续增长：服务器跟不上，百分位取决于运行长度</translation>
  </message>
  <message>
   <source>judged when the plan is done</source>
   <translation>计划完成后评判</translation>
  </message>
  <message>
   <source>no reason given</source>
   <translation>未给出原因</translation>
  </message>
  <message>
   <source>{0} of {1}</source>
   <translation>{1} 中的 {0}</translation>
  </message>
  <message>
   <source>{0} not known (limit {1})</source>
   <translation>{0} 未知(上限 {1})</translation>
  </message>
  <message>
   <source>not judged</source>
   <translation>不予评判</translation>
  </message>
  <message>
   <source>{0} not known</source>
   <translation>{0} 未知</translation>
  </message>
  <message>
   <source>met overall, best</source>
   <translation>总体满足，最优</translation>
  </message>
  <message>
   <source>all met, best</source>
   <translation>全部满足，最优</translation>
  </message>
  <message>
   <source>Best by</source>
   <translation>最优，依据</translation>
  </message>
  <message>
   <source>met overall</source>
   <translation>总体满足</translation>
  </message>
  <message>
   <source>all met</source>
   <translation>全部满足</translation>
  </message>
  <message>
   <source>Classes are judged when the plan is done.</source>
   <translation>各类别在计划完成后评判。</translation>
  </message>
  <message>
   <source>Rejecting makes the rest faster: state how many may fail (errors) to decide.</source>
   <translation>拒绝会使其余更快：请说明允许多少失败(错误)以作判定。</translation>
  </message>
  <message>
   <source>rejects {0} %</source>
   <translation>拒绝 {0} %</translation>
  </message>
  <message>
   <source>invalid</source>
   <translation>无效</translation>
  </message>
  <message>
   <source>diverging</source>
   <translation>发散</translation>
  </message>
  <message>
   <source>TTFT does not grow with the run, that of the baseline does; </source>
   <translation>TTFT 不随运行增长，基线则增长;</translation>
  </message>
  <message>
   <source>stable</source>
   <translation>稳定</translation>
  </message>
  <message>
   <source>{0} better, {1} worse</source>
   <translation>{0} 更好，{1} 更差</translation>
  </message>
  <message>
   <source>better</source>
   <translation>更好</translation>
  </message>
  <message>
   <source>worse</source>
   <translation>更差</translation>
  </message>
  <message>
   <source>no difference</source>
   <translation>无差异</translation>
  </message>
  <message>
   <source>{0} (one run each)</source>
   <translation>{0}（各仅一次运行）</translation>
  </message>
  <message>
   <source>one run each</source>
   <translation>各仅一次运行</translation>
  </message>
  <message>
   <source>can't tell, {0} more would</source>
   <translation>尚不能判断，再测 {0} 即可</translation>
  </message>
  <message>
   <source>can't tell</source>
   <translation>尚不能判断</translation>
  </message>
  <message>
   <source>{0}, but {1}</source>
   <translation>{0}，但{1}</translation>
  </message>
 </context>
 <context>
  <name>workload figures</name>
  <message>
   <source>{0} requests, in {1} (p95 {2}), out {3} (p95 {4}) tokens</source>
   <translation>{0} 个请求，输入 {1}(p95 {2})，输出 {3}(p95 {4}) token</translation>
  </message>
  <message>
   <source>{0}, {1} req/s</source>
   <translation>{0}，{1} 请求/s</translation>
  </message>
 </context>
</TS>
