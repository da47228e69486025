<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
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
   <source>Click to put this control under test; only one is tested at a time</source>
   <translation>点击以测试此控制项；每次只测试一个</translation>
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
   <source>unknown</source>
   <translation>未知</translation>
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
  <name>BlameView</name>
  <message>
   <source>Where the time went</source>
   <translation>时间用在何处</translation>
  </message>
  <message>
   <source>Where its {0} ms went</source>
   <translation>其 {0} ms 用在何处</translation>
  </message>
  <message>
   <source>Where all requests' {0} s went</source>
   <translation>所有请求的 {0} s 用在何处</translation>
  </message>
  <message>
   <source>modeled</source>
   <translation>按模型估算</translation>
  </message>
  <message>
   <source>by {0}</source>
   <translation>由 {0} 造成</translation>
  </message>
 </context>
 <context>
  <name>BottleneckTimeline</name>
  <message>
   <source>Bottleneck timeline</source>
   <translation>瓶颈时间线</translation>
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
   <source>Values to try first</source>
   <translation>建议先尝试的取值</translation>
  </message>
 </context>
 <context>
  <name>Closing</name>
  <message>
   <source>A plan is running.</source>
   <translation>计划正在运行。</translation>
  </message>
  <message>
   <source>It can continue without the window; its results are in
{0}
Stopping keeps the results so far and stops the server that the plan started.</source>
   <translation>它可在没有窗口时继续；结果保存在
{0}
停止将保留至今的结果，并停止计划所启动的服务器。</translation>
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
   <source>The watch did not start: {0}</source>
   <translation>观察未能开始：{0}</translation>
  </message>
  <message>
   <source>The plan did not start: {0}</source>
   <translation>计划未能开始：{0}</translation>
  </message>
  <message>
   <source>The conductor {0} before the plan was done. {1} of {2} runs are kept in {3}. {4}</source>
   <translation>指挥进程在计划完成前结束（{0}）。{2} 次运行中的 {1} 次保存在 {3}。{4}</translation>
  </message>
  <message>
   <source>Go on</source>
   <translation>继续</translation>
  </message>
  <message>
   <source>Run again</source>
   <translation>再次运行</translation>
  </message>
  <message>
   <source>Invalid runs: {0}. They allow no conclusion; the scorecard shows the reasons.</source>
   <translation>无效的运行：{0}。由其得不出任何结论；记分卡列出原因。</translation>
  </message>
  <message>
   <source>Repeat them</source>
   <translation>重做这些运行</translation>
  </message>
  <message>
   <source>Unsaved changes to {0} were kept when the window last ended.</source>
   <translation>窗口上次结束时保留了对 {0} 的未保存更改。</translation>
  </message>
  <message>
   <source>Restore them</source>
   <translation>恢复它们</translation>
  </message>
  <message>
   <source>Discard them</source>
   <translation>丢弃</translation>
  </message>
  <message>
   <source>restored changes</source>
   <translation>恢复的更改</translation>
  </message>
  <message>
   <source>start with my own data</source>
   <translation>从我自己的数据开始</translation>
  </message>
 </context>
 <context>
  <name>CompareDialog</name>
  <message>
   <source>Compare systems</source>
   <translation>比较系统</translation>
  </message>
  <message>
   <source>req/s</source>
   <translation>请求/秒</translation>
  </message>
  <message>
   <source>&amp;Page as PDF…</source>
   <translation>页面存为 PDF(&amp;P)…</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>E&amp;xport…</source>
   <translation>导出(&amp;X)…</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>关闭</translation>
  </message>
  <message>
   <source>Decision sheet</source>
   <translation>决策表</translation>
  </message>
  <message>
   <source>Remarks</source>
   <translation>说明</translation>
  </message>
  <message>
   <source>What would change it</source>
   <translation>什么会改变结果</translation>
  </message>
  <message>
   <source>Cost and servers</source>
   <translation>成本与服务器</translation>
  </message>
  <message>
   <source>Cost, scenarios and remarks</source>
   <translation>成本、情形与说明</translation>
  </message>
  <message>
   <source>&amp;Top of the grid</source>
   <translation>网格上限(&amp;T)</translation>
  </message>
  <message>
   <source>The highest rate that can be drawn</source>
   <translation>可以画出的最高速率</translation>
  </message>
  <message>
   <source>&amp;Headroom</source>
   <translation>余量(&amp;H)</translation>
  </message>
  <message>
   <source>Free share above the peak</source>
   <translation>峰值之上保留的余量</translation>
  </message>
  <message>
   <source>S&amp;pare</source>
   <translation>备用(&amp;P)</translation>
  </message>
  <message>
   <source>Systems that may fail or be in an update</source>
   <translation>允许故障或升级中的系统数</translation>
  </message>
  <message>
   <source>Systems</source>
   <translation>系统</translation>
  </message>
  <message>
   <source>Offers</source>
   <translation>报价</translation>
  </message>
  <message>
   <source>Accepted requests a second, by hour of the day</source>
   <translation>一天中各小时每秒的合格请求</translation>
  </message>
  <message>
   <source>Add bench files</source>
   <translation>添加基准文件</translation>
  </message>
  <message>
   <source>Bench files (*.bench);;All files (*)</source>
   <translation>基准文件 (*.bench);;所有文件 (*)</translation>
  </message>
  <message>
   <source>Comparing …</source>
   <translation>正在比较……</translation>
  </message>
  <message>
   <source>Add the bench files of the systems: the same trace, model and objectives on each.</source>
   <translation>请添加各系统的基准文件：轨迹、模型和目标须相同。</translation>
  </message>
  <message>
   <source>Missing for a decision:</source>
   <translation>做决定还缺少：</translation>
  </message>
  <message>
   <source>Decision sheet as CSV (*.csv)</source>
   <translation>决策表 CSV (*.csv)</translation>
  </message>
  <message>
   <source>Decision sheet as JSON (*.json)</source>
   <translation>决策表 JSON (*.json)</translation>
  </message>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
  <message>
   <source>PDF (*.pdf)</source>
   <translation>PDF (*.pdf)</translation>
  </message>
  <message>
   <source>Page</source>
   <translation>页面</translation>
  </message>
  <message>
   <source>Wrote {0}</source>
   <translation>已写入 {0}</translation>
  </message>
  <message>
   <source>The offers are not saved.</source>
   <translation>报价尚未保存。</translation>
  </message>
  <message>
   <source>Save…</source>
   <translation>保存…</translation>
  </message>
  <message>
   <source>Discard them</source>
   <translation>放弃</translation>
  </message>
  <message>
   <source>Go back</source>
   <translation>返回</translation>
  </message>
 </context>
 <context>
  <name>ComparisonChart</name>
  <message>
   <source>Value of the control</source>
   <translation>控制项的取值</translation>
  </message>
  <message>
   <source>As predicted before the run</source>
   <translation>运行前的预测</translation>
  </message>
  <message>
   <source>Vertical axis</source>
   <translation>纵轴</translation>
  </message>
  <message>
   <source>Horizontal axis</source>
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
   <source>No run has a prediction of this figure</source>
   <translation>没有运行对该数值有预测</translation>
  </message>
  <message>
   <source>No run has both figures yet</source>
   <translation>尚无运行同时有这两个数字</translation>
  </message>
 </context>
 <context>
  <name>ConnectBox</name>
  <message>
   <source>Connect</source>
   <translation>连接</translation>
  </message>
  <message>
   <source>Run a first test</source>
   <translation>运行首次测试</translation>
  </message>
  <message>
   <source>Set up a test</source>
   <translation>设置测试</translation>
  </message>
  <message>
   <source>Watch</source>
   <translation>观察</translation>
  </message>
  <message>
   <source>Address of a running server</source>
   <translation>运行中服务器的地址</translation>
  </message>
  <message>
   <source>4 and 16 callers at once, 30 s each; nothing on the server changes</source>
   <translation>同时 4 个和 16 个调用方，各 30 秒；不改动服务器</translation>
  </message>
  <message>
   <source>Put this server into the form</source>
   <translation>把此服务器填入表单</translation>
  </message>
  <message>
   <source>Send nothing; show what limits the server under its own traffic</source>
   <translation>不发送任何请求；显示服务器在自身流量下受什么限制</translation>
  </message>
  <message>
   <source>A &amp;server that is running</source>
   <translation>运行中的服务器(&amp;S)</translation>
  </message>
  <message>
   <source>First test of {0}</source>
   <translation>{0} 的首次测试</translation>
  </message>
  <message>
   <source>Connecting to {0} …</source>
   <translation>正在连接 {0} …</translation>
  </message>
  <message>
   <source>connected</source>
   <translation>已连接</translation>
  </message>
  <message>
   <source>The server gave no answer.</source>
   <translation>服务器没有应答。</translation>
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
   <source>Set for all runs. Test {0} {1} instead</source>
   <translation>已用于所有运行。改为测试 {0} {1}</translation>
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
   <source>Price of the whole server</source>
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
   <source>Prices change over time</source>
   <translation>价格会变动</translation>
  </message>
  <message>
   <source>S&amp;ource</source>
   <translation>来源(&amp;O)</translation>
  </message>
  <message>
   <source>Helps others to verify the price</source>
   <translation>便于他人核实价格</translation>
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
  <name>DemandChart</name>
  <message>
   <source>Cost and servers against the demand</source>
   <translation>成本与服务器数随需求的变化</translation>
  </message>
 </context>
 <context>
  <name>DemandEditor</name>
  <message>
   <source>Demand over the day</source>
   <translation>一天中的需求</translation>
  </message>
  <message>
   <source>Drag to draw the accepted requests a second for each hour. Left and right choose an hour, up and down change it, Delete clears all.</source>
   <translation>拖动以画出每小时每秒的合格请求数。左右键选择小时，上下键更改，Delete 清除全部。</translation>
  </message>
  <message>
   <source>not drawn yet</source>
   <translation>尚未画出</translation>
  </message>
  <message>
   <source>peak {0}, mean {1} accepted requests a second</source>
   <translation>峰值 {0}，平均每秒 {1} 个合格请求</translation>
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
   <translation>放映（空格）</translation>
  </message>
  <message>
   <source>Skip to its end (Space)</source>
   <translation>跳到结尾（空格）</translation>
  </message>
  <message>
   <source>What it means (Space)</source>
   <translation>说明含义（空格）</translation>
  </message>
  <message>
   <source>Next (Space)</source>
   <translation>下一个（空格）</translation>
  </message>
  <message>
   <source>End (Space)</source>
   <translation>结束（空格）</translation>
  </message>
  <message>
   <source>{0} × real time</source>
   <translation>{0} × 实时</translation>
  </message>
 </context>
 <context>
  <name>DemoCommands</name>
  <message>
   <source>Preparing the demo …</source>
   <translation>正在准备演示 …</translation>
  </message>
  <message>
   <source>Export as animation</source>
   <translation>导出为动画</translation>
  </message>
  <message>
   <source>Writing {0} …</source>
   <translation>正在写入 {0} …</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>Wrote {0}</source>
   <translation>已写入 {0}</translation>
  </message>
 </context>
 <context>
  <name>Details</name>
  <message>
   <source>Requests of the step</source>
   <translation>该步骤的请求</translation>
  </message>
  <message>
   <source>Click a bar to see where that request's time went.
Click a column below to see what its step did.
Right click a moment: what if a limit had changed there?

Wheel or ↑ ↓: zoom. Drag or ← →: move. Ctrl+← →: step by step. Home: the whole run.</source>
   <translation>点击条形可查看该请求的时间去向。
点击下方的列可查看该步骤做了什么。
右键点击某一时刻：如果那时改变了一个上限，会怎样？

滚轮或 ↑ ↓：缩放。拖动或 ← →：移动。Ctrl+← →：逐步。Home：整个运行。</translation>
  </message>
  <message>
   <source>{0}: its end isn't in the results, so its time isn't split.</source>
   <translation>{0}：结果中没有它的结束时间，因此无法划分它的时间。</translation>
  </message>
 </context>
 <context>
  <name>DoctorRun</name>
  <message>
   <source>The check ended without a result.</source>
   <translation>检查结束但没有结果。</translation>
  </message>
 </context>
 <context>
  <name>Documents</name>
  <message>
   <source>All files (*);;Experiments (*.toml);;Bench files (*.bench);;Packs (*.zip *.wbpack)</source>
   <translation>所有文件 (*);;实验 (*.toml);;结果文件 (*.bench);;包 (*.zip *.wbpack)</translation>
  </message>
  <message>
   <source>;;Demos (*.wbdemo)</source>
   <translation>;;演示 (*.wbdemo)</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>打开</translation>
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
   <source>⚠ 1 problem</source>
   <translation>⚠ 1 个问题</translation>
  </message>
  <message>
   <source>⚠ {0} problems</source>
   <translation>⚠ {0} 个问题</translation>
  </message>
  <message>
   <source>from the bench file</source>
   <translation>来自基准文件</translation>
  </message>
  <message>
   <source>none, the baseline alone</source>
   <translation>无，只测基线</translation>
  </message>
 </context>
 <context>
  <name>Export</name>
  <message>
   <source>{0}: choose one of {1}</source>
   <translation>{0}：请选择 {1} 之一</translation>
  </message>
 </context>
 <context>
  <name>FindingsView</name>
  <message>
   <source>This machine</source>
   <translation>本机</translation>
  </message>
  <message>
   <source>Check again</source>
   <translation>重新检查</translation>
  </message>
  <message>
   <source>End left-over servers</source>
   <translation>结束遗留的服务器</translation>
  </message>
  <message>
   <source>Ends only servers that this program started and whose owner has ended</source>
   <translation>仅结束由本程序启动且其所有者已结束的服务器</translation>
  </message>
  <message>
   <source>Checking …</source>
   <translation>正在检查 …</translation>
  </message>
 </context>
 <context>
  <name>ForkDialog</name>
  <message>
   <source>What if…</source>
   <translation>如果会怎样…</translation>
  </message>
  <message>
   <source>Play both futures</source>
   <translation>播放两种未来</translation>
  </message>
  <message>
   <source>What if one limit had changed at {0}?</source>
   <translation>如果在 {0} 时改变了一个上限，会怎样？</translation>
  </message>
  <message>
   <source>&amp;Control</source>
   <translation>控制项(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Value</source>
   <translation>取值(&amp;V)</translation>
  </message>
  <message>
   <source>In this run</source>
   <translation>本次运行中</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>unknown</source>
   <translation>未知</translation>
  </message>
 </context>
 <context>
  <name>Forking</name>
  <message>
   <source>&amp;What if…</source>
   <translation>如果会怎样(&amp;W)…</translation>
  </message>
  <message>
   <source>&amp;Last differences</source>
   <translation>上次的差异(&amp;L)</translation>
  </message>
  <message>
   <source>{0} s, step {1}</source>
   <translation>{0} 秒，步骤 {1}</translation>
  </message>
  <message>
   <source>{0} from {1} on</source>
   <translation>{0}，自 {1} 起</translation>
  </message>
  <message>
   <source>Cancelled.</source>
   <translation>已取消。</translation>
  </message>
 </context>
 <context>
  <name>GpuChoice</name>
  <message>
   <source>this machine's GPU</source>
   <translation>本机的 GPU</translation>
  </message>
  <message>
   <source>GPU to size the server on</source>
   <translation>估算显存所用的 GPU</translation>
  </message>
  <message>
   <source>A card, or the memory of one GPU such as 24 GiB</source>
   <translation>显卡型号，或单个 GPU 的显存，例如 24 GiB</translation>
  </message>
  <message>
   <source>this machine's: {0}</source>
   <translation>本机：{0}</translation>
  </message>
  <message>
   <source>none known</source>
   <translation>未发现 GPU</translation>
  </message>
 </context>
 <context>
  <name>HelpCommands</name>
  <message>
   <source>About vLLM Workbench</source>
   <translation>关于 vLLM Workbench</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>关闭</translation>
  </message>
  <message>
   <source>Copy</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>Apache-2.0. Qt is used under the LGPL.</source>
   <translation>Apache-2.0。Qt 依据 LGPL 使用。</translation>
  </message>
 </context>
 <context>
  <name>HomeCommands</name>
  <message>
   <source>Watch of {0}</source>
   <translation>观察 {0}</translation>
  </message>
  <message>
   <source>Stopping {0}; its finished runs are kept.</source>
   <translation>正在停止 {0}；已完成的运行会保留。</translation>
  </message>
 </context>
 <context>
  <name>InsightsPanel</name>
  <message>
   <source>Compared with the baseline</source>
   <translation>与基线相比</translation>
  </message>
  <message>
   <source>Next single change</source>
   <translation>下一个单项更改</translation>
  </message>
  <message>
   <source>Test this next</source>
   <translation>接着测试它</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>All figures here are simulated</source>
   <translation>此处所有数字均为模拟</translation>
  </message>
  <message>
   <source>Insights</source>
   <translation>分析</translation>
  </message>
  <message>
   <source>, so far</source>
   <translation>，至今</translation>
  </message>
  <message>
   <source>Possible cost: {0}.</source>
   <translation>可能的代价：{0}。</translation>
  </message>
  <message>
   <source>Start the next experiment from this run's settings, with {0} under test</source>
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
   <source>gains of {0} %</source>
   <translation>收益 {0} %</translation>
  </message>
  <message>
   <source>min</source>
   <translation>分钟</translation>
  </message>
  <message>
   <source>no limit</source>
   <translation>无限制</translation>
  </message>
  <message>
   <source>stop at overload</source>
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
   <source>The second control: each is tested alone, then both together</source>
   <translation>第二个控制项：各自单独测试，再一起测试</translation>
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
   <source>Interval at which the value alternates</source>
   <translation>取值来回切换的间隔</translation>
  </message>
  <message>
   <source>&amp;Wash-out</source>
   <translation>过渡期(&amp;W)</translation>
  </message>
  <message>
   <source>Requests due this soon after a change are not counted</source>
   <translation>切换后此时间内到期的请求不计</translation>
  </message>
  <message>
   <source>Gai&amp;n from</source>
   <translation>最小收益(&amp;N)</translation>
  </message>
  <message>
   <source>Smallest expected gain that is worth another run</source>
   <translation>值得再运行一次的最小预期收益</translation>
  </message>
  <message>
   <source>Wit&amp;hin</source>
   <translation>时限(&amp;H)</translation>
  </message>
  <message>
   <source>Time that all runs may take together</source>
   <translation>所有运行合计可用的时间</translation>
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
   <source>Lowest rate, highest rate, factor between rates</source>
   <translation>最低速率、最高速率、相邻速率之间的系数</translation>
  </message>
  <message>
   <source>Rates rise until one is too much; then the last step is bisected to find the capacity</source>
   <translation>速率递增直到无法承受；然后二分最后一步以求容量</translation>
  </message>
  <message>
   <source>bench file</source>
   <translation>基准文件</translation>
  </message>
  <message>
   <source>search within {0} min</source>
   <translation>搜索限时 {0} 分钟</translation>
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
   <source>The language changes once the plan has ended.</source>
   <translation>计划结束后即切换语言。</translation>
  </message>
  <message>
   <source>The plan has ended: the language can change now.</source>
   <translation>计划已结束：现在可以切换语言。</translation>
  </message>
  <message>
   <source>Change it now</source>
   <translation>现在切换</translation>
  </message>
 </context>
 <context>
  <name>Legend</name>
  <message>
   <source>Hue: class of the request. Strong: prefill; pale: decode.
Zoomed out, a column is the mean over its time; pale gray reaches up to its largest step.</source>
   <translation>色相：请求的类别。深色：预填充；浅色：解码。
缩小时，一列是其时间内的平均值；浅灰色到其最大的步骤为止。</translation>
  </message>
  <message>
   <source>prefill</source>
   <translation>预填充</translation>
  </message>
  <message>
   <source>decode</source>
   <translation>解码</translation>
  </message>
  <message>
   <source>other</source>
   <translation>其他</translation>
  </message>
  <message>
   <source>{0} more</source>
   <translation>另外 {0} 个</translation>
  </message>
  <message>
   <source>(strong: prefill, pale: decode)</source>
   <translation>（深色：预填充，浅色：解码）</translation>
  </message>
  <message>
   <source>preempted, recomputed</source>
   <translation>被抢占、重算</translation>
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
   <source>waiting for the first token</source>
   <translation>等待首个 token</translation>
  </message>
  <message>
   <source>decode</source>
   <translation>解码</translation>
  </message>
  <message>
   <source>waiting again</source>
   <translation>再次等待</translation>
  </message>
  <message>
   <source>still open</source>
   <translation>仍未结束</translation>
  </message>
  <message>
   <source>Timeline of the chosen requests</source>
   <translation>所选请求的时间线</translation>
  </message>
  <message>
   <source>No. {0}, due at {1} s</source>
   <translation>编号 {0}，{1} s 到期</translation>
  </message>
  <message>
   <source>Choose requests in the table to see how they spent their time.</source>
   <translation>在表中选择请求，查看其时间花在何处。</translation>
  </message>
 </context>
 <context>
  <name>LiveLimitsPanel</name>
  <message>
   <source>Allow from the next plan on</source>
   <translation>从下一计划起允许</translation>
  </message>
  <message>
   <source>Limits of the running server</source>
   <translation>运行中服务器的限制</translation>
  </message>
  <message>
   <source>not reported by this server</source>
   <translation>此服务器未报告</translation>
  </message>
  <message>
   <source>{0} can change now</source>
   <translation>现在可更改 {0} 项</translation>
  </message>
  <message>
   <source>none now</source>
   <translation>现在没有</translation>
  </message>
  <message>
   <source>This server was started without live limits.</source>
   <translation>此服务器启动时未启用在线限制。</translation>
  </message>
  <message>
   <source>Can't be changed while it runs: {0}.</source>
   <translation>运行时不可更改：{0}。</translation>
  </message>
  <message>
   <source>A change takes effect at the next step and makes the run invalid.</source>
   <translation>更改自下一步起生效，并使该运行无效。</translation>
  </message>
  <message>
   <source>Sliders appear here while a server with live limits runs.</source>
   <translation>当支持在线限制的服务器运行时，此处出现滑块。</translation>
  </message>
 </context>
 <context>
  <name>LivePlot</name>
  <message>
   <source>Click to show it large.</source>
   <translation>点击可放大显示。</translation>
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
   <source>At rising rates</source>
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
   <source>Rates in requests per second</source>
   <translation>速率（每秒请求数）</translation>
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
   <translation>成簇（伽马）</translation>
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
   <translation>长稳（半小时）</translation>
  </message>
  <message>
   <source>Three repeats</source>
   <translation>重复三次</translation>
  </message>
  <message>
   <source>Confirm a pair (2 × 2)</source>
   <translation>确认一对（2 × 2）</translation>
  </message>
  <message>
   <source>Switchback on one server</source>
   <translation>单服务器交替切换</translation>
  </message>
  <message>
   <source>Search for the best value</source>
   <translation>搜索最佳取值</translation>
  </message>
  <message>
   <source>Repeat a bench file</source>
   <translation>重测基准文件</translation>
  </message>
  <message>
   <source>&amp;Kind</source>
   <translation>类型(&amp;K)</translation>
  </message>
  <message>
   <source>Sets the fields below for this kind of experiment</source>
   <translation>按实验类型设置下面的字段</translation>
  </message>
  <message>
   <source>&amp;Arrive</source>
   <translation>到达(&amp;A)</translation>
  </message>
  <message>
   <source>Requests arrive at these rates even if the server can't keep up</source>
   <translation>无论服务器是否跟得上都按此速率给出</translation>
  </message>
  <message>
   <source>Req/&amp;s</source>
   <translation>请求/s(&amp;S)</translation>
  </message>
  <message>
   <source>Requests per second; one run for each rate</source>
   <translation>每秒请求数；每个速率一次运行</translation>
  </message>
  <message>
   <source>&amp;Open</source>
   <translation>并发(&amp;O)</translation>
  </message>
  <message>
   <source>One run for each number</source>
   <translation>每个数一次运行</translation>
  </message>
  <message>
   <source>&amp;Each run</source>
   <translation>每次运行(&amp;E)</translation>
  </message>
  <message>
   <source>Requests in progress may end later</source>
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
   <source>Requests that the client has open at once</source>
   <translation>客户端同时打开的请求</translation>
  </message>
  <message>
   <source>&amp;Give up after</source>
   <translation>放弃于(&amp;G)</translation>
  </message>
  <message>
   <source>Time without a first token after which the client gives up</source>
   <translation>客户端在此时间内未收到首个 token 即放弃</translation>
  </message>
  <message>
   <source>Ti&amp;meout</source>
   <translation>超时(&amp;M)</translation>
  </message>
  <message>
   <source>Time after sending at which the client gives up a request</source>
   <translation>发出后经过此时间客户端放弃请求</translation>
  </message>
  <message>
   <source>Retr&amp;ies</source>
   <translation>重试(&amp;I)</translation>
  </message>
  <message>
   <source>Retries of a request that was rejected or failed before its first token</source>
   <translation>针对被拒绝或在首个 token 之前失败的请求</translation>
  </message>
  <message>
   <source>Re&amp;peat</source>
   <translation>重复(&amp;P)</translation>
  </message>
  <message>
   <source>Repeats are interleaved, so that drift affects all configurations alike</source>
   <translation>重复交错进行，使漂移均摊到各配置</translation>
  </message>
  <message>
   <source>If &amp;disturbed</source>
   <translation>若受干扰(&amp;D)</translation>
  </message>
  <message>
   <source>Retries of a run that this machine disturbed</source>
   <translation>受本机干扰的运行的重试次数</translation>
  </message>
  <message>
   <source>Duration in seconds</source>
   <translation>时长（秒）</translation>
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
   <source>if disturbed {0} more</source>
   <translation>若受干扰再做 {0} 次</translation>
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
  <name>LogPanel</name>
  <message>
   <source>Copy</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>Log lines of the server and the conductor appear here</source>
   <translation>服务器与指挥进程的日志显示在此</translation>
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
   <source>Minimum level</source>
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
   <source>Live limits</source>
   <translation>在线限制</translation>
  </message>
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
  <message>
   <source>Verdict and messages</source>
   <translation>结论与消息</translation>
  </message>
 </context>
 <context>
  <name>ManualReader</name>
  <message>
   <source>Manual</source>
   <translation>手册</translation>
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
   <source>{0} (in English)</source>
   <translation>{0}（英文）</translation>
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
   <source>Choose its column.</source>
   <translation>请选择对应的列。</translation>
  </message>
 </context>
 <context>
  <name>MemoryView</name>
  <message>
   <source>Memory of the server</source>
   <translation>服务器的显存</translation>
  </message>
  <message>
   <source>Set the longest length that fits in the baseline</source>
   <translation>把可容纳的最大长度写入基线</translation>
  </message>
  <message>
   <source>&amp;Memory on</source>
   <translation>显存(&amp;M)</translation>
  </message>
  <message>
   <source>Estimating …</source>
   <translation>正在估算……</translation>
  </message>
  <message>
   <source>Choose the GPU, or type its memory such as 24 GiB, for the other figures.</source>
   <translation>请选择 GPU，或输入其显存（例如 24 GiB），以得到其余数字。</translation>
  </message>
  <message>
   <source>Use max_model_len {0}</source>
   <translation>采用 max_model_len {0}</translation>
  </message>
  <message>
   <source>Estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>Server</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>Off by</source>
   <translation>偏差</translation>
  </message>
  <message>
   <source>{0} {1}, the longest that fits</source>
   <translation>{0} {1}，按可容纳的长度</translation>
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
   <source>At least one kind of request is needed: raise another one first.</source>
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
   <source>Your notes on this step</source>
   <translation>您对这一步的备注</translation>
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
   <source>The result that becomes the next baseline</source>
   <translation>成为下一基线的结果</translation>
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
   <source>unchanged (a branch)</source>
   <translation>保持原样（分支）</translation>
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
  <name>NoPlotsPage</name>
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
   <source>No samples were recorded during this run</source>
   <translation>这次运行没有记录任何采样</translation>
  </message>
  <message>
   <source>Its result file holds figures of the whole run only, so there is nothing to plot. Its figures:</source>
   <translation>其结果文件只有整次运行的数字，因此无图可画。其数字如下：</translation>
  </message>
  <message>
   <source>See the log for the reason.</source>
   <translation>原因见日志。</translation>
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
   <source>Time from due to the first token that 95 of 100 requests must meet</source>
   <translation>从到期至首个 token 的时间，100 个请求中须有 95 个达到</translation>
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
   <source>Time from due to the end of the request</source>
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
  <name>OfferDialog</name>
  <message>
   <source>Offer</source>
   <translation>报价</translation>
  </message>
  <message>
   <source>choose a card</source>
   <translation>选择显卡</translation>
  </message>
  <message>
   <source>choose</source>
   <translation>选择</translation>
  </message>
  <message>
   <source>rented on demand, per hour</source>
   <translation>按需租用，按小时</translation>
  </message>
  <message>
   <source>reserved, per hour</source>
   <translation>预留，按小时</translation>
  </message>
  <message>
   <source>spot, per hour</source>
   <translation>竞价实例，按小时</translation>
  </message>
  <message>
   <source>rented for long, per hour</source>
   <translation>长期租用，按小时</translation>
  </message>
  <message>
   <source>bought</source>
   <translation>购买</translation>
  </message>
  <message>
   <source>Use the offer</source>
   <translation>采用该报价</translation>
  </message>
  <message>
   <source>&amp;Name</source>
   <translation>名称(&amp;N)</translation>
  </message>
  <message>
   <source>&amp;Supplier</source>
   <translation>供应商(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;GPU</source>
   <translation>GPU(&amp;G)</translation>
  </message>
  <message>
   <source>GPUs in the s&amp;ystem</source>
   <translation>系统中的 GPU 数(&amp;Y)</translation>
  </message>
  <message>
   <source>Con&amp;figuration</source>
   <translation>配置(&amp;F)</translation>
  </message>
  <message>
   <source>&amp;Region</source>
   <translation>地区(&amp;R)</translation>
  </message>
  <message>
   <source>A&amp;vailability</source>
   <translation>供货情况(&amp;V)</translation>
  </message>
  <message>
   <source>&amp;Basis</source>
   <translation>计价方式(&amp;B)</translation>
  </message>
  <message>
   <source>&amp;Price</source>
   <translation>价格(&amp;P)</translation>
  </message>
  <message>
   <source>Price of the whole system: per hour, or to buy it</source>
   <translation>整套系统的价格：每小时，或购买价</translation>
  </message>
  <message>
   <source>&amp;Currency</source>
   <translation>货币(&amp;C)</translation>
  </message>
  <message>
   <source>Three capital letters</source>
   <translation>三个大写字母</translation>
  </message>
  <message>
   <source>&amp;Date</source>
   <translation>日期(&amp;D)</translation>
  </message>
  <message>
   <source>Date of the price</source>
   <translation>报价的日期</translation>
  </message>
  <message>
   <source>S&amp;ource</source>
   <translation>来源(&amp;O)</translation>
  </message>
  <message>
   <source>Who gave the price, or where it is published</source>
   <translation>由谁报出，或出自何处</translation>
  </message>
  <message>
   <source>Veri&amp;fied on</source>
   <translation>核实日期(&amp;F)</translation>
  </message>
  <message>
   <source>E&amp;xpires on</source>
   <translation>失效日期(&amp;X)</translation>
  </message>
  <message>
   <source>Paid off &amp;in</source>
   <translation>摊销期(&amp;I)</translation>
  </message>
  <message>
   <source>months</source>
   <translation>个月</translation>
  </message>
  <message>
   <source>Residual value a&amp;t the end</source>
   <translation>届时残值(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Interest a year</source>
   <translation>年利率(&amp;I)</translation>
  </message>
  <message>
   <source>&amp;Hosting a month</source>
   <translation>每月托管费(&amp;H)</translation>
  </message>
  <message>
   <source>S&amp;upport a year</source>
   <translation>每年支持费(&amp;U)</translation>
  </message>
  <message>
   <source>Po&amp;wer under load</source>
   <translation>负载功率(&amp;W)</translation>
  </message>
  <message>
   <source>Energy is counted only with power and tariff</source>
   <translation>没有功率和电价时不计入电费</translation>
  </message>
  <message>
   <source>PU&amp;E</source>
   <translation>PUE(&amp;E)</translation>
  </message>
  <message>
   <source>Facility power over system power</source>
   <translation>机房总功率与系统功率之比</translation>
  </message>
  <message>
   <source>Tari&amp;ff per kWh</source>
   <translation>每千瓦时电价(&amp;F)</translation>
  </message>
  <message>
   <source>{0}, required</source>
   <translation>{0}，必填</translation>
  </message>
  <message>
   <source>* required</source>
   <translation>* 必填</translation>
  </message>
  <message>
   <source>This is required.</source>
   <translation>此项必填。</translation>
  </message>
 </context>
 <context>
  <name>OffersList</name>
  <message>
   <source>Offers</source>
   <translation>报价</translation>
  </message>
  <message>
   <source>Without an offer there is no cost</source>
   <translation>没有报价就没有成本</translation>
  </message>
  <message>
   <source>&amp;New…</source>
   <translation>新建(&amp;N)…</translation>
  </message>
  <message>
   <source>&amp;Edit…</source>
   <translation>编辑(&amp;E)…</translation>
  </message>
  <message>
   <source>Re&amp;move</source>
   <translation>移除(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Open…</source>
   <translation>打开(&amp;O)…</translation>
  </message>
  <message>
   <source>&amp;Save…</source>
   <translation>保存(&amp;S)…</translation>
  </message>
  <message>
   <source>Several offers are called {0}: give each a name of its own.</source>
   <translation>有多个报价名为 {0}：请为每个报价取不同的名称。</translation>
  </message>
  <message>
   <source>Open offers</source>
   <translation>打开报价</translation>
  </message>
  <message>
   <source>Save offers</source>
   <translation>保存报价</translation>
  </message>
  <message>
   <source>{0} an hour</source>
   <translation>每小时 {0}</translation>
  </message>
  <message>
   <source>{0}, changed</source>
   <translation>{0}，已更改</translation>
  </message>
  <message>
   <source>not saved</source>
   <translation>未保存</translation>
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
  <name>Packs</name>
  <message>
   <source>Checking {0} …</source>
   <translation>正在核对 {0} …</translation>
  </message>
  <message>
   <source>Order {0}: {1} experiments; required: {2}</source>
   <translation>订单 {0}：{1} 个实验；要求：{2}</translation>
  </message>
  <message>
   <source>Show all</source>
   <translation>全部显示</translation>
  </message>
  <message>
   <source>{0} doesn't hold: {1}</source>
   <translation>{0} 不成立：{1}</translation>
  </message>
  <message>
   <source>{0}: everything holds</source>
   <translation>{0}：全部成立</translation>
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
   <source>{0} plus restarts</source>
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
   <source>{0} requests, {1} MB of results</source>
   <translation>{0} 个请求，{1} MB 结果</translation>
  </message>
  <message>
   <source>{0} starts of the server, {1} requests, {2} MB of results</source>
   <translation>服务器启动 {0} 次，{1} 个请求，结果 {2} MB</translation>
  </message>
 </context>
 <context>
  <name>PlotCaption</name>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>All figures here are simulated</source>
   <translation>此处所有数字均为模拟</translation>
  </message>
  <message>
   <source>Class of requests</source>
   <translation>请求类别</translation>
  </message>
  <message>
   <source>Class whose TTFT, its parts and ITL are drawn</source>
   <translation>绘制其 TTFT、组成与 ITL 的请求</translation>
  </message>
  <message>
   <source>no news from the server: the data is old</source>
   <translation>服务器没有新消息：数据已过时</translation>
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
   <source>watched under its own traffic</source>
   <translation>在自身流量下观察</translation>
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
   <source>Connecting to the server</source>
   <translation>正在连接服务器</translation>
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
   <source>under test</source>
   <translation>受测</translation>
  </message>
  <message>
   <source>baseline</source>
   <translation>基线</translation>
  </message>
 </context>
 <context>
  <name>PlotChoice</name>
  <message>
   <source>All plots</source>
   <translation>所有图表</translation>
  </message>
  <message>
   <source>The usual ones</source>
   <translation>常用图表</translation>
  </message>
  <message>
   <source>The plan's question chooses the main plot</source>
   <translation>由计划的问题选择主图</translation>
  </message>
 </context>
 <context>
  <name>PlotMenu</name>
  <message>
   <source>Follow the run</source>
   <translation>跟随运行</translation>
  </message>
  <message>
   <source>Show the steps at this time</source>
   <translation>显示此刻的步骤</translation>
  </message>
  <message>
   <source>Show it large</source>
   <translation>放大显示</translation>
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
   <source>All replicas together</source>
   <translation>所有副本合在一起</translation>
  </message>
  <message>
   <source>A thin line for each replica</source>
   <translation>每个副本一条细线</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
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
  <name>QuestionRow</name>
  <message>
   <source>Compare systems…</source>
   <translation>比较系统…</translation>
  </message>
  <message>
   <source>Plan it</source>
   <translation>制定实验</translation>
  </message>
  <message>
   <source>{0} and {1} more</source>
   <translation>{0} 及另外 {1} 次</translation>
  </message>
  <message>
   <source>Bench files of several systems, your offers, the demand to serve</source>
   <translation>多个系统的基准文件、您的报价、需要承担的负载</translation>
  </message>
  <message>
   <source>Put the experiment that answers it into the form, without running it</source>
   <translation>把能回答它的实验填入表单；尚不运行</translation>
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
   <source>not measured yet</source>
   <translation>尚未测量</translation>
  </message>
 </context>
 <context>
  <name>QuestionsDialog</name>
  <message>
   <source>Before going live</source>
   <translation>上线之前</translation>
  </message>
  <message>
   <source>Reading {0} …</source>
   <translation>正在读取 {0} …</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>关闭</translation>
  </message>
  <message>
   <source>Questions and answers</source>
   <translation>问题与回答</translation>
  </message>
  <message>
   <source>All five questions are answered by these results.</source>
   <translation>这些结果已回答全部五个问题。</translation>
  </message>
  <message>
   <source>Not measured yet: {0} of {1} questions.</source>
   <translation>尚未测量：{1} 个问题中的 {0} 个。</translation>
  </message>
 </context>
 <context>
  <name>RecentResults</name>
  <message>
   <source>Recent results</source>
   <translation>最近的结果</translation>
  </message>
  <message>
   <source>Search by name, system, trace, verdict or date</source>
   <translation>按名称、系统、轨迹、结论或日期搜索</translation>
  </message>
 </context>
 <context>
  <name>RequestsPanel</name>
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
   <source>Show in steps</source>
   <translation>在步骤中显示</translation>
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
  <message>
   <source>{0} (simulated)</source>
   <translation>{0}（模拟）</translation>
  </message>
 </context>
 <context>
  <name>ResultCommands</name>
  <message>
   <source>A plan is running; open the bench file when it is done.</source>
   <translation>计划正在运行；请在完成后打开基准文件。</translation>
  </message>
  <message>
   <source>Reading {0} …</source>
   <translation>正在读取 {0} …</translation>
  </message>
  <message>
   <source>The form shows your unsaved settings, not those of the results.</source>
   <translation>表单显示的是您未保存的设置，而非结果的设置。</translation>
  </message>
  <message>
   <source>Show the settings of the results</source>
   <translation>显示结果的设置</translation>
  </message>
  <message>
   <source>settings of the results</source>
   <translation>结果的设置</translation>
  </message>
  <message>
   <source>Writing {0} …</source>
   <translation>正在写入 {0} …</translation>
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
  <message>
   <source>plan the missing experiment</source>
   <translation>制定缺少的实验</translation>
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
   <source>stopped; finished runs are kept</source>
   <translation>已停止；已完成的运行予以保留</translation>
  </message>
  <message>
   <source>ended early; measured runs are kept</source>
   <translation>提前结束；已测量的运行予以保留</translation>
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
   <source>watching for {0}</source>
   <translation>已观察 {0}</translation>
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
  <name>RunningPlans</name>
  <message>
   <source>Running now</source>
   <translation>正在运行</translation>
  </message>
  <message>
   <source>Follow</source>
   <translation>跟随</translation>
  </message>
  <message>
   <source>Stop</source>
   <translation>停止</translation>
  </message>
 </context>
 <context>
  <name>ScorecardModel</name>
  <message>
   <source>{0} (simulated)</source>
   <translation>{0}（模拟）</translation>
  </message>
  <message>
   <source>Measured by {0}.</source>
   <translation>由 {0} 测得。</translation>
  </message>
  <message>
   <source>not compared</source>
   <translation>不作比较</translation>
  </message>
  <message>
   <source>watched</source>
   <translation>已观察</translation>
  </message>
  <message>
   <source>Nothing was sent: no verdict.</source>
   <translation>没有发送请求：不给出结论。</translation>
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
  <message>
   <source>{0} The difference is below the load generator's resolution of {1} ms.</source>
   <translation>{0} 差异小于负载发生器能分辨的 {1} ms。</translation>
  </message>
 </context>
 <context>
  <name>ScorecardPanel</name>
  <message>
   <source>Each run of a plan becomes a row here</source>
   <translation>计划的每次运行在此成为一行</translation>
  </message>
  <message>
   <source>Scorecard</source>
   <translation>记分卡</translation>
  </message>
  <message>
   <source>One row per run, the baseline first, with signed differences</source>
   <translation>每次运行一行，基线在先，差异带符号</translation>
  </message>
  <message>
   <source>Show rows with this text; Escape shows all</source>
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
   <translation>内置引擎（模拟）</translation>
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
   <source>figures only (less overhead)</source>
   <translation>只记录数字（开销更小）</translation>
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
   <source>more arguments {0}</source>
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
   <source>A folder, a Hugging Face name, or a name that the server lists</source>
   <translation>文件夹、Hugging Face 名称，或服务器列出的名称</translation>
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
   <source>A Python there with the same version of this program: the figures then exclude the tunnel</source>
   <translation>那台机器上装有同版本本程序的 Python：数字中便不含隧道</translation>
  </message>
  <message>
   <source>&amp;Image</source>
   <translation>镜像(&amp;I)</translation>
  </message>
  <message>
   <source>Image with vLLM and its libraries</source>
   <translation>含 vLLM 及其库的镜像</translation>
  </message>
  <message>
   <source>&amp;vLLM</source>
   <translation>vLLM(&amp;V)</translation>
  </message>
  <message>
   <source>vLLM's script, or an environment that has it; for a container docker or podman</source>
   <translation>vLLM 的脚本或含有它的环境；对容器为 docker 或 podman</translation>
  </message>
  <message>
   <source>&amp;GPUs</source>
   <translation>GPU(&amp;G)</translation>
  </message>
  <message>
   <source>As for docker's --gpus: all, 2</source>
   <translation>同 docker 的 --gpus:all、2</translation>
  </message>
  <message>
   <source>Shared me&amp;mory</source>
   <translation>共享内存(&amp;M)</translation>
  </message>
  <message>
   <source>Several GPUs need more, such as 16g</source>
   <translation>多个 GPU 需要更多，如 16g</translation>
  </message>
  <message>
   <source>M&amp;ore</source>
   <translation>更多(&amp;O)</translation>
  </message>
  <message>
   <source>More arguments of the server's command line</source>
   <translation>服务器命令行的更多参数</translation>
  </message>
  <message>
   <source>Ce&amp;rtificates</source>
   <translation>证书(&amp;R)</translation>
  </message>
  <message>
   <source>A PEM file, in addition to the system's certificates</source>
   <translation>系统证书之外的 PEM 文件</translation>
  </message>
  <message>
   <source>&amp;Key from</source>
   <translation>密钥来自(&amp;K)</translation>
  </message>
  <message>
   <source>Name of the environment variable that holds the key</source>
   <translation>存放它的环境变量名</translation>
  </message>
  <message>
   <source>KV cac&amp;he</source>
   <translation>KV 缓存(&amp;H)</translation>
  </message>
  <message>
   <source>Pinned: later servers get as many blocks as the baseline's server had</source>
   <translation>固定：后续服务器使用基线服务器实际拥有的块数</translation>
  </message>
  <message>
   <source>Records the scheduler's decisions and their reasons</source>
   <translation>记录调度器的决定及其原因</translation>
  </message>
  <message>
   <source>vLLM's own stat logger, without decisions and reasons</source>
   <translation>由 vLLM 自己的统计记录器写出：没有调度决定，也没有原因</translation>
  </message>
  <message>
   <source>Needed for live limits and switchbacks</source>
   <translation>在线限制与交替切换需要它</translation>
  </message>
  <message>
   <source>Comma&amp;nd</source>
   <translation>命令(&amp;N)</translation>
  </message>
  <message>
   <source>The start adds the port and the flags for measuring</source>
   <translation>测量用的参数与端口在启动时添加</translation>
  </message>
  <message>
   <source>find</source>
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
   <source>profile {0}</source>
   <translation>画像 {0}</translation>
  </message>
  <message>
   <source>time scale {0}</source>
   <translation>时间倍率 {0}</translation>
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
   <source>server {0}</source>
   <translation>服务器 {0}</translation>
  </message>
  <message>
   <source>URL {0}</source>
   <translation>URL {0}</translation>
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
   <source>Step times {0}; on the run they were fitted to, off by {1} % in TTFT and {2} % in TPOT.</source>
   <translation>步时间{0}；在选定它们所用的那次运行上 TTFT 偏差 {1} %，TPOT 偏差 {2} %。</translation>
  </message>
  <message>
   <source>Step times {0}; in a check off by {1} % in TTFT and {2} % in TPOT.</source>
   <translation>步时间{0}；经检验 TTFT 偏差 {1} %，TPOT 偏差 {2} %。</translation>
  </message>
 </context>
 <context>
  <name>ServerPanel</name>
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
   <source>Double-click or Enter uses it in the experiment</source>
   <translation>双击或回车：用于实验</translation>
  </message>
  <message>
   <source>Remembered servers appear here</source>
   <translation>您记住的服务器显示在此</translation>
  </message>
  <message>
   <source>Command of the server</source>
   <translation>服务器的命令</translation>
  </message>
  <message>
   <source>Stopping the server …</source>
   <translation>正在停止服务器 …</translation>
  </message>
  <message>
   <source>A plan is running; try a server when it is done.</source>
   <translation>计划正在运行；请在完成后试启动服务器。</translation>
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
   <source>○ unknown</source>
   <translation>○ 未知</translation>
  </message>
  <message>
   <source>◔ connecting</source>
   <translation>◔ 正在连接</translation>
  </message>
  <message>
   <source>● connected</source>
   <translation>● 已连接</translation>
  </message>
  <message>
   <source>◔ disconnecting</source>
   <translation>◔ 正在断开</translation>
  </message>
  <message>
   <source>○ disconnected</source>
   <translation>○ 已断开</translation>
  </message>
  <message>
   <source>Connect</source>
   <translation>连接</translation>
  </message>
  <message>
   <source>End the trial</source>
   <translation>结束试启动</translation>
  </message>
  <message>
   <source>Ask the server what it is and what it uses</source>
   <translation>询问服务器它是什么、使用什么设置</translation>
  </message>
  <message>
   <source>Start the form's server, read back its settings, stop it</source>
   <translation>启动表单中的服务器，读回其实际设置，然后停止</translation>
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
   <source>{0} {1}, as the server suggested</source>
   <translation>{0} {1}，依服务器建议</translation>
  </message>
  <message>
   <source>server</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>{0} is not in the list any more.</source>
   <translation>{0} 已不在列表中。</translation>
  </message>
  <message>
   <source>server {0}</source>
   <translation>服务器 {0}</translation>
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
   <source>A session is a chain of experiments: each starts from the result of the one before.</source>
   <translation>会话是实验之链：每个实验都从上一个的结果开始。</translation>
  </message>
  <message>
   <source>unchanged</source>
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
  <name>SessionHistory</name>
  <message>
   <source>{0}. A new session starts in {1}.</source>
   <translation>{0}。新会话在 {1} 中开始。</translation>
  </message>
  <message>
   <source>The session could not be saved: {0}</source>
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
   <source>tuning: {0}</source>
   <translation>调优：{0}</translation>
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
  <name>SessionPanel</name>
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
   <source>Add the form's experiment as a first step, with its results if they are shown</source>
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
   <source>The results of step {0} are gone: {1} does not exist</source>
   <translation>第 {0} 步的结果已不在：没有 {1}</translation>
  </message>
 </context>
 <context>
  <name>StageView</name>
  <message>
   <source>Scheduler steps over time</source>
   <translation>调度器步骤随时间的变化</translation>
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
   <source>Tune for me…</source>
   <translation>自动调优…</translation>
  </message>
  <message>
   <source>Open…</source>
   <translation>打开…</translation>
  </message>
  <message>
   <source>A vLLM that the program starts here</source>
   <translation>由本程序在此启动的 vLLM</translation>
  </message>
  <message>
   <source>Change one control of the form's server at a time, until none is expected to gain more</source>
   <translation>每次改变表单中服务器的一个控制项，直到预计没有控制项能带来更多收益</translation>
  </message>
  <message>
   <source>An experiment, a bench file, a trace or a pack</source>
   <translation>实验、基准文件、轨迹或包</translation>
  </message>
  <message>
   <source>Demos</source>
   <translation>演示</translation>
  </message>
  <message>
   <source>Recent traces</source>
   <translation>最近的轨迹</translation>
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
  <name>StepsPanel</name>
  <message>
   <source>Run</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>Engine</source>
   <translation>引擎</translation>
  </message>
  <message>
   <source>R&amp;un</source>
   <translation>运行(&amp;U)</translation>
  </message>
  <message>
   <source>Follow</source>
   <translation>跟随</translation>
  </message>
  <message>
   <source>Keep the newest step in view (End)</source>
   <translation>始终显示最新步骤（End）</translation>
  </message>
  <message>
   <source>Play the visible time (Space)</source>
   <translation>播放可见的时间（空格）</translation>
  </message>
  <message>
   <source>Previous step (Ctrl+Left)</source>
   <translation>上一步骤 (Ctrl+Left)</translation>
  </message>
  <message>
   <source>Next step (Ctrl+Right)</source>
   <translation>下一步骤 (Ctrl+Right)</translation>
  </message>
  <message>
   <source>Zoom out (Down)</source>
   <translation>缩小 (Down)</translation>
  </message>
  <message>
   <source>Zoom in (Up)</source>
   <translation>放大 (Up)</translation>
  </message>
  <message>
   <source>Whole run (Home)</source>
   <translation>整个运行 (Home)</translation>
  </message>
  <message>
   <source>Save picture…</source>
   <translation>保存图片…</translation>
  </message>
  <message>
   <source>No run yet</source>
   <translation>尚无运行</translation>
  </message>
  <message>
   <source>Reading the step record …</source>
   <translation>正在读取步骤记录…</translation>
  </message>
  <message>
   <source>engine {0}</source>
   <translation>引擎 {0}</translation>
  </message>
  <message>
   <source>The run has no steps.</source>
   <translation>该运行没有步骤。</translation>
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
   <source>Wrote {0}</source>
   <translation>已写入 {0}</translation>
  </message>
 </context>
 <context>
  <name>SystemRow</name>
  <message>
   <source>the offer for its card</source>
   <translation>与其显卡相符的报价</translation>
  </message>
  <message>
   <source>Offer of {0}</source>
   <translation>{0} 的报价</translation>
  </message>
  <message>
   <source>Remove {0}</source>
   <translation>移除 {0}</translation>
  </message>
 </context>
 <context>
  <name>SystemsList</name>
  <message>
   <source>&amp;Add bench files…</source>
   <translation>添加基准文件(&amp;A)…</translation>
  </message>
  <message>
   <source>Systems</source>
   <translation>系统</translation>
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
  <name>TuneCommands</name>
  <message>
   <source>Stopping after this step …</source>
   <translation>此步骤完成后停止 …</translation>
  </message>
  <message>
   <source>Tuning paused: {0}</source>
   <translation>调优已暂停：{0}</translation>
  </message>
  <message>
   <source>Accept and continue</source>
   <translation>采用并继续</translation>
  </message>
  <message>
   <source>End here</source>
   <translation>到此结束</translation>
  </message>
  <message>
   <source>{0} accepted requests/s</source>
   <translation>每秒接受 {0} 个请求</translation>
  </message>
  <message>
   <source>settings unchanged</source>
   <translation>设置未变</translation>
  </message>
  <message>
   <source>Tuned with {0} runs in {1} min: {2}</source>
   <translation>调优用了 {0} 次运行、{1} 分钟：{2}</translation>
  </message>
  <message>
   <source>settings found by tuning</source>
   <translation>调优找到的设置</translation>
  </message>
  <message>
   <source>Not tuned: {0}</source>
   <translation>未调优：{0}</translation>
  </message>
  <message>
   <source>Step {0}: run {1}, {2} of {3} min used</source>
   <translation>步骤 {0}：运行 {1}，已用 {2}/{3} 分钟</translation>
  </message>
 </context>
 <context>
  <name>TuneDialog</name>
  <message>
   <source>Tune for me</source>
   <translation>自动调优</translation>
  </message>
  <message>
   <source>min</source>
   <translation>分钟</translation>
  </message>
  <message>
   <source>Start tuning</source>
   <translation>开始调优</translation>
  </message>
  <message>
   <source>Each step measures the present settings, asks which limit costs the requests most, and tries values of that control. The best one is kept for the next step.

May change: {0}
Load of each run: {1} requests/s for {2} s</source>
   <translation>每一步测量当前设置，查明哪个上限耗去请求最多的时间，并尝试该控制项的取值。最佳取值保留给下一步。

可改变：{0}
每次运行的负载：每秒 {1} 个请求，持续 {2} 秒</translation>
  </message>
  <message>
   <source>The server itself is not changed.</source>
   <translation>服务器本身不会改变。</translation>
  </message>
  <message>
   <source>&amp;Time budget</source>
   <translation>时间预算(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Smallest gain worth a run</source>
   <translation>值得一次运行的最小收益(&amp;S)</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
 </context>
 <context>
  <name>TuneStrip</name>
  <message>
   <source>Tune for me…</source>
   <translation>自动调优…</translation>
  </message>
  <message>
   <source>Change one control at a time by itself, until none is expected to gain more</source>
   <translation>自动逐个改变控制项，直到预计没有控制项能带来更多收益</translation>
  </message>
  <message>
   <source>Stop tuning</source>
   <translation>停止调优</translation>
  </message>
  <message>
   <source>Stop the present run; finished steps are kept</source>
   <translation>停止当前运行；已完成的步骤会保留</translation>
  </message>
  <message>
   <source>Share of the time budget used</source>
   <translation>已用时间预算的比例</translation>
  </message>
 </context>
 <context>
  <name>VerdictBar</name>
  <message>
   <source>Run this next</source>
   <translation>接着运行它</translation>
  </message>
  <message>
   <source>Edit first</source>
   <translation>先编辑</translation>
  </message>
  <message>
   <source>Verdict</source>
   <translation>结论</translation>
  </message>
  <message>
   <source>{0} left</source>
   <translation>剩余 {0}</translation>
  </message>
  <message>
   <source>Next: {0}</source>
   <translation>下一步：{0}</translation>
  </message>
  <message>
   <source>No single change of a control is known to help.</source>
   <translation>没有已知有帮助的单项控制更改。</translation>
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
   <source>Traces (*.jsonl *.csv *.json *.gz *.zst);;All files (*)</source>
   <translation>轨迹 (*.jsonl *.csv *.json *.gz *.zst);;所有文件 (*)</translation>
  </message>
  <message>
   <source>Open trace file</source>
   <translation>打开轨迹文件</translation>
  </message>
  <message>
   <source>refuse the trace</source>
   <translation>拒绝该轨迹</translation>
  </message>
  <message>
   <source>drop them</source>
   <translation>略去它们</translation>
  </message>
  <message>
   <source>truncate them</source>
   <translation>截断它们</translation>
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
   <source>Weight of each kind of request</source>
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
   <translation>{0} 个请求{1}。输入均值 {2}、p95 {3} token；输出均值 {4}、p95 {5}。</translation>
  </message>
  <message>
   <source>{0} % of the prompt tokens repeat earlier ones.</source>
   <translation>提示 token 中有 {0} % 重复先前的内容。</translation>
  </message>
 </context>
 <context>
  <name>_Blank</name>
  <message>
   <source>Black screen</source>
   <translation>黑屏</translation>
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
   <source>Show the next message</source>
   <translation>显示下一条消息</translation>
  </message>
  <message>
   <source>Copy the message</source>
   <translation>复制消息</translation>
  </message>
  <message>
   <source>Dismiss the message</source>
   <translation>关闭消息</translation>
  </message>
  <message>
   <source>1 of {0}</source>
   <translation>1 / {0}</translation>
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
   <source>Move this step up</source>
   <translation>上移此步骤</translation>
  </message>
  <message>
   <source>Remove this step</source>
   <translation>移除此步骤</translation>
  </message>
  <message>
   <source>Enter its value: {0}.</source>
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
   <source>{0} limits the {1}.</source>
   <translation>{0} 限制 {1}。</translation>
  </message>
  <message>
   <source>{0} affects the {1}.</source>
   <translation>{0} 限制 {1}。</translation>
  </message>
  <message>
   <source>{0} and {1}</source>
   <translation>{0}、{1}</translation>
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
   <source>Start a new experiment with defaults</source>
   <translation>从默认值开始一个实验</translation>
  </message>
  <message>
   <source>&amp;Open…</source>
   <translation>打开(&amp;O)…</translation>
  </message>
  <message>
   <source>Open an experiment, a bench file, a trace or a pack</source>
   <translation>打开实验、基准文件、轨迹或包</translation>
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
   <source>Continue with a copy that has no file yet</source>
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
   <source>Compare s&amp;ystems…</source>
   <translation>比较系统(&amp;Y)…</translation>
  </message>
  <message>
   <source>Compare bench files of several systems with your offers and the demand</source>
   <translation>用若干系统的基准文件、您的报价与需求作比较</translation>
  </message>
  <message>
   <source>Before &amp;going live…</source>
   <translation>上线之前(&amp;G)…</translation>
  </message>
  <message>
   <source>Five questions, answered from these results, or the experiments that answer them</source>
   <translation>五个问题：由这些结果回答，或给出能回答它的实验</translation>
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
   <source>Undo the last change of the experiment</source>
   <translation>撤回对实验的上一次更改</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>重做(&amp;R)</translation>
  </message>
  <message>
   <source>Redo the change that was undone</source>
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
   <source>Run the experiment's plan</source>
   <translation>执行实验的计划</translation>
  </message>
  <message>
   <source>&amp;Stop</source>
   <translation>停止(&amp;S)</translation>
  </message>
  <message>
   <source>Stop now; finished runs are kept</source>
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
   <source>Skip the present run and continue with the next</source>
   <translation>离开当前运行，继续下一个</translation>
  </message>
  <message>
   <source>&amp;Go on with this plan</source>
   <translation>继续该计划(&amp;G)</translation>
  </message>
  <message>
   <source>Resume the shown plan, in the same bench file</source>
   <translation>继续所示的计划，写入同一基准文件</translation>
  </message>
  <message>
   <source>Do &amp;invalid runs again</source>
   <translation>重做无效的运行(&amp;I)</translation>
  </message>
  <message>
   <source>Repeat the shown plan's invalid runs, and run what is left of it</source>
   <translation>重做所示计划中无效的运行，并完成剩余部分</translation>
  </message>
  <message>
   <source>&amp;Tune for me…</source>
   <translation>自动调优(&amp;T)…</translation>
  </message>
  <message>
   <source>Change one control of the form's server at a time, until none is expected to gain more</source>
   <translation>每次改变表单中服务器的一个控制项，直到预计没有控制项能带来更多收益</translation>
  </message>
  <message>
   <source>&amp;Watch the server</source>
   <translation>观察服务器(&amp;W)</translation>
  </message>
  <message>
   <source>Send nothing; show what limits the server under its own traffic</source>
   <translation>不发送任何请求；显示服务器在自身流量下受什么限制</translation>
  </message>
  <message>
   <source>Run the &amp;demo</source>
   <translation>运行演示(&amp;D)</translation>
  </message>
  <message>
   <source>A simulated H100: three runs, about a minute</source>
   <translation>模拟的 H100：三次运行，约一分钟</translation>
  </message>
  <message>
   <source>&amp;Sequence slots</source>
   <translation>序列槽位(&amp;S)</translation>
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
   <source>Next step of the demo</source>
   <translation>演示的下一步</translation>
  </message>
  <message>
   <source>Go &amp;back</source>
   <translation>后退(&amp;B)</translation>
  </message>
  <message>
   <source>Step of the demo before this one</source>
   <translation>演示的上一步</translation>
  </message>
  <message>
   <source>S&amp;lower</source>
   <translation>放慢(&amp;L)</translation>
  </message>
  <message>
   <source>Slow the demo down</source>
   <translation>以更慢的速度放映演示</translation>
  </message>
  <message>
   <source>&amp;Faster</source>
   <translation>加快(&amp;F)</translation>
  </message>
  <message>
   <source>Speed the demo up</source>
   <translation>以更快的速度放映演示</translation>
  </message>
  <message>
   <source>&amp;Restart</source>
   <translation>重新开始(&amp;R)</translation>
  </message>
  <message>
   <source>Return to the demo's question</source>
   <translation>回到演示的问题</translation>
  </message>
  <message>
   <source>&amp;Black screen</source>
   <translation>黑屏(&amp;B)</translation>
  </message>
  <message>
   <source>Blacken the window or show it again</source>
   <translation>使窗口变黑或重新显示</translation>
  </message>
  <message>
   <source>E&amp;xport as animation…</source>
   <translation>导出为动画(&amp;X)…</translation>
  </message>
  <message>
   <source>Write the demo as GIF, or MP4</source>
   <translation>将演示写为 GIF 或 MP4</translation>
  </message>
  <message>
   <source>&amp;End the demo</source>
   <translation>结束演示(&amp;E)</translation>
  </message>
  <message>
   <source>End the demo and restore the window</source>
   <translation>结束演示并恢复窗口</translation>
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
   <source>Freeze the plots; the run continues</source>
   <translation>图表静止，运行继续</translation>
  </message>
  <message>
   <source>&amp;Earlier run behind…</source>
   <translation>以往运行作背景(&amp;E)…</translation>
  </message>
  <message>
   <source>Draw a run of another bench file in gray behind the plots</source>
   <translation>将另一基准文件中的运行以灰色画在图表背景</translation>
  </message>
  <message>
   <source>&amp;Baseline behind</source>
   <translation>基线作背景(&amp;B)</translation>
  </message>
  <message>
   <source>Draw the baseline in gray again</source>
   <translation>重新以灰色画出基线</translation>
  </message>
  <message>
   <source>&amp;Comparison chart</source>
   <translation>对比图(&amp;C)</translation>
  </message>
  <message>
   <source>Chart of any two scorecard columns</source>
   <translation>记分卡任意两列互相对照</translation>
  </message>
  <message>
   <source>Arrange to &amp;tune</source>
   <translation>调优布局(&amp;T)</translation>
  </message>
  <message>
   <source>Show all panels in the first layout</source>
   <translation>所有面板，恢复最初布局</translation>
  </message>
  <message>
   <source>Arrange to show</source>
   <translation>演示布局</translation>
  </message>
  <message>
   <source>Large plots and insights</source>
   <translation>大号图表与文字</translation>
  </message>
  <message>
   <source>Arrange to re&amp;view</source>
   <translation>复查布局(&amp;V)</translation>
  </message>
  <message>
   <source>Large scorecard and chart</source>
   <translation>大号记分卡与图表</translation>
  </message>
  <message>
   <source>Arrange to e&amp;xplain</source>
   <translation>排列为解释布局(&amp;X)</translation>
  </message>
  <message>
   <source>Steps of the scheduler, large: why a request was slow</source>
   <translation>放大显示调度器的步骤：请求为什么慢</translation>
  </message>
  <message>
   <source>&amp;Next panel</source>
   <translation>下一面板(&amp;N)</translation>
  </message>
  <message>
   <source>Focus the next visible panel</source>
   <translation>将键盘焦点移到下一个可见面板</translation>
  </message>
  <message>
   <source>P&amp;revious panel</source>
   <translation>上一面板(&amp;R)</translation>
  </message>
  <message>
   <source>Focus the previous visible panel</source>
   <translation>将键盘焦点移到上一个面板</translation>
  </message>
  <message>
   <source>As the s&amp;ystem</source>
   <translation>跟随系统(&amp;Y)</translation>
  </message>
  <message>
   <source>Follow the system's appearance</source>
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
   <source>The window, panel by panel</source>
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
   <source>Versions, for a problem report</source>
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
   <source>The window crashed last time. Python's report is in {0}.</source>
   <translation>窗口上次崩溃。Python 的报告保存在 {0}。</translation>
  </message>
  <message>
   <source>Copy it</source>
   <translation>复制</translation>
  </message>
  <message>
   <source>The window had an error: {0}: {1}. A running plan continues.</source>
   <translation>窗口中发生错误：{0}:{1}。正在运行的计划会继续。</translation>
  </message>
 </context>
 <context>
  <name>bottlenecks</name>
  <message>
   <source>Head of the queue waits for a sequence slot: {0} of {1} in use.</source>
   <translation>队首等待序列槽位：{1} 个中已用 {0} 个。</translation>
  </message>
  <message>
   <source>Head of the queue waits for KV blocks: the pool is {0} % full.</source>
   <translation>队首等待 KV 块：缓存池已满 {0} %。</translation>
  </message>
  <message>
   <source>Head of the queue waits: the batch is closed until its last request has ended.</source>
   <translation>队首等待：批次已关闭，直到其最后一个请求结束。</translation>
  </message>
  <message>
   <source>{0} requests wait in the client: it keeps at most {1} open (max_in_flight).</source>
   <translation>{0} 个请求在客户端等待：最多同时打开 {1} 个（max_in_flight）。</translation>
  </message>
  <message>
   <source>Head of the queue waits for the next step: this step's token budget is spent.</source>
   <translation>队首等待下一步：本步的 token 预算已用尽。</translation>
  </message>
 </context>
 <context>
  <name>comparison page</name>
  <message>
   <source>Comparison of systems</source>
   <translation>系统比较</translation>
  </message>
  <message>
   <source>Demand: peak {0}, mean {1} accepted requests a second; {2} % headroom, {3} spare.</source>
   <translation>需求：峰值 {0}，平均每秒 {1} 个合格请求；余量 {2} %，备用 {3} 台。</translation>
  </message>
  <message>
   <source>Missing for a decision</source>
   <translation>做决定还缺少</translation>
  </message>
  <message>
   <source>Systems</source>
   <translation>系统</translation>
  </message>
  <message>
   <source>Bands: price, rate and demand a tenth better or worse.</source>
   <translation>色带：价格、速率与需求好或差十分之一。</translation>
  </message>
  <message>
   <source>What would change it</source>
   <translation>什么会改变结果</translation>
  </message>
  <message>
   <source>Who measured what</source>
   <translation>谁测量了什么</translation>
  </message>
  <message>
   <source>System</source>
   <translation>系统</translation>
  </message>
  <message>
   <source>Accepted (req/s)</source>
   <translation>合格（请求/秒）</translation>
  </message>
  <message>
   <source>Servers</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>Per 1,000 accepted, {0}</source>
   <translation>每 1,000 个合格回答，{0}</translation>
  </message>
  <message>
   <source>All servers, an hour</source>
   <translation>全部服务器，每小时</translation>
  </message>
  <message>
   <source>Energy of an accepted response (J)</source>
   <translation>每个合格回答的能量 (J)</translation>
  </message>
  <message>
   <source>Offer</source>
   <translation>报价</translation>
  </message>
  <message>
   <source>not measured</source>
   <translation>未测量</translation>
  </message>
  <message>
   <source>If</source>
   <translation>如果</translation>
  </message>
  <message>
   <source>Cheapest</source>
   <translation>最便宜</translation>
  </message>
  <message>
   <source>Measured by</source>
   <translation>测量工具</translation>
  </message>
  <message>
   <source>On</source>
   <translation>设备</translation>
  </message>
  <message>
   <source>Load from</source>
   <translation>负载来自</translation>
  </message>
  <message>
   <source>File</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>unknown</source>
   <translation>未知</translation>
  </message>
  <message>
   <source>simulated: {0}</source>
   <translation>模拟：{0}</translation>
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
  <name>connect card</name>
  <message>
   <source>vLLM version unknown</source>
   <translation>vLLM 版本未知</translation>
  </message>
  <message>
   <source>simulated: {0}</source>
   <translation>模拟：{0}</translation>
  </message>
  <message>
   <source>unknown profile</source>
   <translation>未知配置</translation>
  </message>
  <message>
   <source>GPU unknown</source>
   <translation>GPU 未知</translation>
  </message>
  <message>
   <source>model unknown</source>
   <translation>模型未知</translation>
  </message>
  <message>
   <source>context {0} tokens</source>
   <translation>上下文 {0} 个 token</translation>
  </message>
  <message>
   <source>KV cache {0} tokens</source>
   <translation>KV 缓存 {0} 个 token</translation>
  </message>
  <message>
   <source>In force: {0}.</source>
   <translation>生效值：{0}。</translation>
  </message>
  <message>
   <source>Not reported: {0}.</source>
   <translation>未报告：{0}。</translation>
  </message>
  <message>
   <source>Can be tested here: capacity at any load, and the caller's own controls: {0}.</source>
   <translation>这里可以测试：任意负载下的容量，以及调用方自己的控制项：{0}。</translation>
  </message>
  <message>
   <source>unknown</source>
   <translation>未知</translation>
  </message>
 </context>
 <context>
  <name>core</name>
  <message>
   <source>busy</source>
   <translation>忙碌</translation>
  </message>
  <message>
   <source>clock</source>
   <translation>时钟</translation>
  </message>
  <message>
   <source>comparing answers</source>
   <translation>正在比较回答</translation>
  </message>
  <message>
   <source>computing</source>
   <translation>正在计算</translation>
  </message>
  <message>
   <source>connected</source>
   <translation>已连接</translation>
  </message>
  <message>
   <source>connecting</source>
   <translation>正在连接</translation>
  </message>
  <message>
   <source>degraded</source>
   <translation>有问题</translation>
  </message>
  <message>
   <source>disconnected</source>
   <translation>已断开</translation>
  </message>
  <message>
   <source>disconnecting</source>
   <translation>正在断开</translation>
  </message>
  <message>
   <source>disk</source>
   <translation>磁盘</translation>
  </message>
  <message>
   <source>done</source>
   <translation>已完成</translation>
  </message>
  <message>
   <source>draining</source>
   <translation>收尾中</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>high</source>
   <translation>高</translation>
  </message>
  <message>
   <source>idle</source>
   <translation>空闲</translation>
  </message>
  <message>
   <source>keyring</source>
   <translation>密钥环</translation>
  </message>
  <message>
   <source>left-overs</source>
   <translation>遗留</translation>
  </message>
  <message>
   <source>low</source>
   <translation>低</translation>
  </message>
  <message>
   <source>medium</source>
   <translation>中</translation>
  </message>
  <message>
   <source>partial</source>
   <translation>部分</translation>
  </message>
  <message>
   <source>ports</source>
   <translation>端口</translation>
  </message>
  <message>
   <source>ready</source>
   <translation>就绪</translation>
  </message>
  <message>
   <source>skipped</source>
   <translation>已跳过</translation>
  </message>
  <message>
   <source>starting</source>
   <translation>正在启动</translation>
  </message>
  <message>
   <source>starting server</source>
   <translation>正在启动服务器</translation>
  </message>
  <message>
   <source>stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>stopping</source>
   <translation>正在停止</translation>
  </message>
  <message>
   <source>warming up</source>
   <translation>预热中</translation>
  </message>
 </context>
 <context>
  <name>decision sheet</name>
  <message>
   <source>System</source>
   <translation>系统</translation>
  </message>
  <message>
   <source>Accepted (req/s)</source>
   <translation>合格（请求/秒）</translation>
  </message>
  <message>
   <source>As in the scorecard, at the highest rate at which the objectives were met</source>
   <translation>与记分卡相同，取满足目标的最高速率</translation>
  </message>
  <message>
   <source>Servers</source>
   <translation>服务器数</translation>
  </message>
  <message>
   <source>Needed for the demand with its headroom and spare</source>
   <translation>满足需求、余量和备用所需的数量</translation>
  </message>
  <message>
   <source>Per 1,000 reserved</source>
   <translation>每 1,000 个（预留）</translation>
  </message>
  <message>
   <source>Cost of 1,000 accepted responses if all servers are paid for all the time</source>
   <translation>所有服务器始终付费时，1,000 个合格响应的成本</translation>
  </message>
  <message>
   <source>Per 1,000 used</source>
   <translation>每 1,000 个（使用）</translation>
  </message>
  <message>
   <source>The same if only busy time is paid for</source>
   <translation>只为忙碌时间付费时的同一数值</translation>
  </message>
  <message>
   <source>Reserved ± a tenth</source>
   <translation>预留 ± 十分之一</translation>
  </message>
  <message>
   <source>Cost per 1,000 reserved with price, rate and demand a tenth better or worse</source>
   <translation>价格、速率和需求各好或差十分之一时每 1,000 个（预留）的成本</translation>
  </message>
  <message>
   <source>All servers, an hour</source>
   <translation>全部服务器每小时</translation>
  </message>
  <message>
   <source>Busy, %</source>
   <translation>忙碌，%</translation>
  </message>
  <message>
   <source>Mean demand as a share of that rate</source>
   <translation>需求平均占该速率的比例</translation>
  </message>
  <message>
   <source>At</source>
   <translation>条件</translation>
  </message>
  <message>
   <source>Configuration and rate</source>
   <translation>配置与速率</translation>
  </message>
  <message>
   <source>Runs</source>
   <translation>运行数</translation>
  </message>
  <message>
   <source>Runs spent on tuning</source>
   <translation>用于调优的运行数</translation>
  </message>
  <message>
   <source>Offer</source>
   <translation>报价</translation>
  </message>
  <message>
   <source>Energy, J</source>
   <translation>能量，J</translation>
  </message>
  <message>
   <source>Of an accepted response, where power was measured</source>
   <translation>每个合格回答的能量，仅在测量了功率时</translation>
  </message>
  <message>
   <source>GPU</source>
   <translation>GPU</translation>
  </message>
  <message>
   <source>{0}: {1} × {2}, {3} {4} per 1,000 accepted</source>
   <translation>{0}：{1} × {2}，每 1,000 个合格回答 {3} {4}</translation>
  </message>
 </context>
 <context>
  <name>demand chart</name>
  <message>
   <source>Servers</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>{0} per 1,000 accepted responses</source>
   <translation>每 1,000 个合格回答的 {0}</translation>
  </message>
  <message>
   <source>demand's peak, req/s</source>
   <translation>需求峰值，请求/秒</translation>
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
   <source>16 slots serve 7 requests a second, and 5 a second come: all is well. At 20 s eighty more arrive in one moment.</source>
   <translation>16 个槽位每秒服务 7 个请求，每秒来 5 个：一切正常。到 20 s 时，又有八十个在一瞬间到达。</translation>
  </message>
  <message>
   <source>Without a limit all are taken in, and the last of them waits 11 s for its first token, as does whoever comes after.</source>
   <translation>没有限制时全部接纳，其中最后一个要等 11 s 才得到首个 token，其后到来者也一样。</translation>
  </message>
  <message>
   <source>With a limit on unfinished requests (max_num_queued_reqs, which counts the running ones too) requests above it get HTTP 503 at once; the rest wait less.</source>
   <translation>对未完成请求设限（max_num_queued_reqs，也计入运行中的）时，超出的请求立即得到 HTTP 503；其余等得更短。</translation>
  </message>
  <message>
   <source>The capacity is the same in all three. One only chooses who pays: everybody with time, or some with a refusal they can act on.</source>
   <translation>三者的容量相同。所选的只是由谁付出代价：人人付出时间，或一部分人得到一个可据以行动的拒绝。</translation>
  </message>
  <message>
   <source>unbounded</source>
   <translation>无上限</translation>
  </message>
  <message>
   <source>The last of the eighty waits 10.9 s.</source>
   <translation>八十个中的最后一个等待 10.9 s。</translation>
  </message>
  <message>
   <source>limit 48</source>
   <translation>上限 48</translation>
  </message>
  <message>
   <source>50 are refused; nobody of the burst waits longer than 4.4 s.</source>
   <translation>50 个被拒绝；突发中无人等待超过 4.4 s。</translation>
  </message>
  <message>
   <source>limit 32</source>
   <translation>上限 32</translation>
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
   <source>For those who were interrupted that is a freeze of up to 3.3 s in mid-sentence. And still the machine does more in total: with 15 slots the last nine jobs run by themselves, in steps that could have carried more.</source>
   <translation>对被打断者而言，这是句子中途最长 3.3 s 的停顿。然而机器总体上做得更多：15 个槽位时，最后九个作业单独运行，而那些步本可承载更多。</translation>
  </message>
  <message>
   <source>Both sides are true. Whether a preemption is bad depends on who is reading: a batch job gains 13 %, a person loses patience.</source>
   <translation>两面都成立。抢占是否糟糕取决于谁在阅读：批处理作业获益 13 %，人则失去耐心。</translation>
  </message>
  <message>
   <source>24 slots</source>
   <translation>24 个槽位</translation>
  </message>
  <message>
   <source>9 preemptions, 7,225 tokens computed twice, one freeze of 3.3 s; 1,604 tokens/s.</source>
   <translation>9 次抢占，7,225 个 token 计算了两遍，一次 3.3 s 的停顿；1,604 token/s。</translation>
  </message>
  <message>
   <source>15 slots</source>
   <translation>15 个槽位</translation>
  </message>
  <message>
   <source>Nobody is ever interrupted; 1,422 tokens/s, and 9 jobs wait for the first 15 to end.</source>
   <translation>从无人被打断；1,422 token/s，9 个作业等待前 15 个结束。</translation>
  </message>
  <message>
   <source>Sequence slots</source>
   <translation>序列槽位</translation>
  </message>
  <message>
   <source>12 chats a second arrive. How many may run at once?</source>
   <translation>每秒到达 12 个聊天请求。允许多少个同时运行？</translation>
  </message>
  <message>
   <source>A sequence slot is a place in the running list (max_num_seqs). Decoding 32 requests in a step costs little more than decoding 8, so slots are throughput.</source>
   <translation>序列槽位是运行列表中的一个位置（max_num_seqs）。对一步而言，为 32 个请求解码只比为 8 个略贵，因此槽位就是吞吐量。</translation>
  </message>
  <message>
   <source>With too few the queue grows without end: the percentiles depend on how long one looks, and no server flag is wrong but this one.</source>
   <translation>槽位太少，队列便无止境地增长：百分位数取决于观察多久，而错的只有这一个服务器参数。</translation>
  </message>
  <message>
   <source>With enough slots, more change nothing: with 64 and with 128, at most 49 requests run. A limit that is never reached can't be tuned.</source>
   <translation>槽位足够后，再多也无变化：64 个与 128 个槽位时，最多都只有 49 个在运行。从未触及的限制无从调优。</translation>
  </message>
  <message>
   <source>8 slots</source>
   <translation>8 个槽位</translation>
  </message>
  <message>
   <source>3.9 completed a second of 12 that come.</source>
   <translation>每秒到来 12 个，完成 3.9 个。</translation>
  </message>
  <message>
   <source>16 slots</source>
   <translation>16 个槽位</translation>
  </message>
  <message>
   <source>7.3 a second; 280 wait when the minute is over.</source>
   <translation>每秒 7.3 个；一分钟结束时有 280 个在等待。</translation>
  </message>
  <message>
   <source>32 slots</source>
   <translation>32 个槽位</translation>
  </message>
  <message>
   <source>Keeps up, but only just: a cluster of arrivals makes some wait 0.7 s.</source>
   <translation>跟得上，但只是勉强：一阵集中的到达让一些请求等待 0.7 s。</translation>
  </message>
  <message>
   <source>64 slots</source>
   <translation>64 个槽位</translation>
  </message>
  <message>
   <source>No request waits for a slot: at most 49 run.</source>
   <translation>从无人等待槽位：最多 49 个在运行。</translation>
  </message>
  <message>
   <source>128 slots</source>
   <translation>128 个槽位</translation>
  </message>
  <message>
   <source>The same figures: the limit is never reached.</source>
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
   <source>Under static batching the batch is closed. A finished long ago and its slot is empty, but B waits until the document's last token.</source>
   <translation>静态批处理下批次是封闭的。A 早已结束，槽位空着，但 B 要等到文档的最后一个 token。</translation>
  </message>
  <message>
   <source>Under continuous batching the scheduler decides anew at every step: B joins the very next one, and the document ends 8 ms later for it.</source>
   <translation>连续批处理下，调度器每一步都重新决定：B 加入紧接着的一步，文档因此晚 8 ms 结束。</translation>
  </message>
  <message>
   <source>static</source>
   <translation>静态</translation>
  </message>
  <message>
   <source>B waits 5.9 s for a slot that has been empty for most of that time.</source>
   <translation>B 等待 5.9 s，而那个槽位大部分时间是空的。</translation>
  </message>
  <message>
   <source>continuous</source>
   <translation>连续</translation>
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
   <source>budget 512</source>
   <translation>预算 512</translation>
  </message>
  <message>
   <source>Gaps of 24 ms at worst; the document's first token after 660 ms.</source>
   <translation>最差间隔 24 ms；文档的首个 token 在 660 ms 后。</translation>
  </message>
  <message>
   <source>budget 2,048</source>
   <translation>预算 2,048</translation>
  </message>
  <message>
   <source>A middle: 418 ms for the document, 64 ms in the chats.</source>
   <translation>居中：文档 418 ms，聊天中 64 ms。</translation>
  </message>
  <message>
   <source>budget 8,192</source>
   <translation>预算 8,192</translation>
  </message>
  <message>
   <source>vLLM's default on this card: the chats freeze for a fifth of a second.</source>
   <translation>vLLM 在此卡上的默认值：聊天停顿五分之一秒。</translation>
  </message>
  <message>
   <source>budget 16,384</source>
   <translation>预算 16,384</translation>
  </message>
  <message>
   <source>The document gains 9 ms more, the chats lose another 137.</source>
   <translation>文档再快 9 ms，聊天再损失 137 ms。</translation>
  </message>
  <message>
   <source>budget 16,384, threshold 512</source>
   <translation>预算 16,384，阈值 512</translation>
  </message>
  <message>
   <source>The large budget with one prompt held to 512 tokens a step: the chats are smooth again.</source>
   <translation>大预算，但单个提示每步限 512 token：聊天重新流畅。</translation>
  </message>
 </context>
 <context>
  <name>docks</name>
  <message>
   <source>Panels</source>
   <translation>面板</translation>
  </message>
  <message>
   <source>Experiment</source>
   <translation>实验</translation>
  </message>
  <message>
   <source>Insights</source>
   <translation>分析</translation>
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
   <source>Steps</source>
   <translation>步骤</translation>
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
  <name>fork page</name>
  <message>
   <source>Share of both futures played</source>
   <translation>两种未来已播放的比例</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>Differences of both futures</source>
   <translation>两种未来的差异</translation>
  </message>
  <message>
   <source>No decision differs, so nothing changes.</source>
   <translation>没有决策不同，因此什么都不变。</translation>
  </message>
  <message>
   <source>{0} of {1} decisions as recorded; another batch from {2} s on.</source>
   <translation>{1} 个决策中有 {0} 个与记录相同；从 {2} 秒起批次不同。</translation>
  </message>
  <message>
   <source>=: the recorded value is inside the band: no clear difference.</source>
   <translation>=：记录值在区间内，没有明确的差异。</translation>
  </message>
  <message>
   <source>{0} requests never end with the change.</source>
   <translation>更改后有 {0} 个请求永不结束。</translation>
  </message>
  <message>
   <source>Modelled: {0} draws, {1} % mean error of a step. Times are of the engine alone.</source>
   <translation>由模型得出：{0} 次抽样，单步平均误差 {1} %。时间仅指引擎内部。</translation>
  </message>
  <message>
   <source>TTFT mean (ms)</source>
   <translation>TTFT 均值（毫秒）</translation>
  </message>
  <message>
   <source>TTFT p95 (ms)</source>
   <translation>TTFT p95（毫秒）</translation>
  </message>
  <message>
   <source>ITL mean (ms)</source>
   <translation>ITL 均值（毫秒）</translation>
  </message>
  <message>
   <source>ITL p95 (ms)</source>
   <translation>ITL p95（毫秒）</translation>
  </message>
  <message>
   <source>E2E mean (ms)</source>
   <translation>端到端均值（毫秒）</translation>
  </message>
  <message>
   <source>E2E p95 (ms)</source>
   <translation>端到端 p95（毫秒）</translation>
  </message>
  <message>
   <source>Waiting mean (ms)</source>
   <translation>等待均值（毫秒）</translation>
  </message>
  <message>
   <source>Preemptions</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>Last request ends (s)</source>
   <translation>最后一个请求结束（秒）</translation>
  </message>
  <message>
   <source>Recorded</source>
   <translation>记录</translation>
  </message>
  <message>
   <source>Changed</source>
   <translation>更改后</translation>
  </message>
  <message>
   <source>Band</source>
   <translation>区间</translation>
  </message>
  <message>
   <source>Faster requests</source>
   <translation>变快的请求</translation>
  </message>
  <message>
   <source>Slower requests</source>
   <translation>变慢的请求</translation>
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
   <source>Start here</source>
   <translation>从这里开始</translation>
  </message>
  <message>
   <source>Your first session</source>
   <translation>第一次会话</translation>
  </message>
  <message>
   <source>Tune your own server</source>
   <translation>调优自己的服务器</translation>
  </message>
  <message>
   <source>See what limits a server now</source>
   <translation>查看此刻是什么限制了服务器</translation>
  </message>
  <message>
   <source>Measure over SSH</source>
   <translation>通过 SSH 测量</translation>
  </message>
  <message>
   <source>Measure beyond one machine</source>
   <translation>跨多台机器测量</translation>
  </message>
  <message>
   <source>Replay your own requests</source>
   <translation>重放自己的请求</translation>
  </message>
  <message>
   <source>Find the capacity</source>
   <translation>求得容量</translation>
  </message>
  <message>
   <source>Find the best value</source>
   <translation>找到最佳取值</translation>
  </message>
  <message>
   <source>Explain a slow request</source>
   <translation>解释一个慢请求</translation>
  </message>
  <message>
   <source>Compare GPUs and prices</source>
   <translation>比较 GPU 与价格</translation>
  </message>
  <message>
   <source>Hand over evidence</source>
   <translation>交付证据</translation>
  </message>
  <message>
   <source>Have a vendor measure</source>
   <translation>让供应商测量</translation>
  </message>
  <message>
   <source>Install</source>
   <translation>安装</translation>
  </message>
  <message>
   <source>Demonstrate the scheduler</source>
   <translation>演示调度器</translation>
  </message>
  <message>
   <source>Repair an invalid run</source>
   <translation>修复无效的运行</translation>
  </message>
  <message>
   <source>The window</source>
   <translation>窗口</translation>
  </message>
  <message>
   <source>The experiment file</source>
   <translation>实验文件</translation>
  </message>
  <message>
   <source>Commands</source>
   <translation>命令</translation>
  </message>
  <message>
   <source>The scorecard</source>
   <translation>记分卡</translation>
  </message>
  <message>
   <source>Diagnosis rules</source>
   <translation>诊断规则</translation>
  </message>
  <message>
   <source>Traces</source>
   <translation>轨迹</translation>
  </message>
  <message>
   <source>Servers</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>The embedded engine</source>
   <translation>内置引擎</translation>
  </message>
  <message>
   <source>The bench file</source>
   <translation>基准文件</translation>
  </message>
  <message>
   <source>Events</source>
   <translation>事件</translation>
  </message>
  <message>
   <source>vLLM versions</source>
   <translation>vLLM 版本</translation>
  </message>
  <message>
   <source>How figures are defined</source>
   <translation>数字的定义</translation>
  </message>
  <message>
   <source>Why tools differ</source>
   <translation>各工具为何不同</translation>
  </message>
  <message>
   <source>One scheduling step</source>
   <translation>一个调度步</translation>
  </message>
  <message>
   <source>Memory sizing</source>
   <translation>显存估算</translation>
  </message>
  <message>
   <source>Predictions from your own runs</source>
   <translation>由您的运行得出的预测</translation>
  </message>
  <message>
   <source>Architecture and decisions</source>
   <translation>架构与决定</translation>
  </message>
 </context>
 <context>
  <name>narration</name>
  <message>
   <source>Nothing is running</source>
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
   <source>See the message above the plots.</source>
   <translation>见图表上方的消息。</translation>
  </message>
  <message>
   <source>Connecting</source>
   <translation>正在连接</translation>
  </message>
  <message>
   <source>Server starting</source>
   <translation>服务器正在启动</translation>
  </message>
  <message>
   <source>The next configuration's server starts with an empty cache.</source>
   <translation>下一配置的服务器正在启动，缓存为空。</translation>
  </message>
  <message>
   <source>The server stays as it is.</source>
   <translation>服务器保持不变。</translation>
  </message>
  <message>
   <source>Between runs</source>
   <translation>运行之间</translation>
  </message>
  <message>
   <source>The plan is being prepared.</source>
   <translation>正在准备计划。</translation>
  </message>
  <message>
   <source>The server is {0}.</source>
   <translation>服务器{0}。</translation>
  </message>
  <message>
   <source>The embedded engine simulates {0}.</source>
   <translation>嵌入式引擎模拟 {0}。</translation>
  </message>
  <message>
   <source>{0} runs, the baseline first; each gets the same requests.</source>
   <translation>共 {0} 次运行，基线在先；每次收到相同的请求。</translation>
  </message>
  <message>
   <source>Preemptions: {0}; that work is computed twice.</source>
   <translation>抢占 {0} 次；这些工作要计算两遍。</translation>
  </message>
  <message>
   <source>The first requests are on their way.</source>
   <translation>首批请求正在路上。</translation>
  </message>
  <message>
   <source>{0} running, {1} waiting.</source>
   <translation>{0} 个请求在运行，{1} 个在等待。</translation>
  </message>
  <message>
   <source>{0} running, none waiting.</source>
   <translation>{0} 个请求在运行，没有等待的。</translation>
  </message>
  <message>
   <source>Gray: “{0}” under the same requests.</source>
   <translation>灰色为相同请求下的“{0}”。</translation>
  </message>
  <message>
   <source>Gray: the baseline under the same requests.</source>
   <translation>灰色是相同请求下的基线。</translation>
  </message>
  <message>
   <source>It completes {0} of {1} req/s; the rest pile up.</source>
   <translation>每秒 {1} 个请求中完成 {0} 个：其余堆积。</translation>
  </message>
  <message>
   <source>It keeps up with {0} req/s.</source>
   <translation>跟得上每秒 {0} 个请求。</translation>
  </message>
  <message>
   <source>Findings</source>
   <translation>发现</translation>
  </message>
  <message>
   <source>Stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>Ended early</source>
   <translation>提前结束</translation>
  </message>
  <message>
   <source>Results</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>Best configuration that meets the objectives: {0}.</source>
   <translation>满足目标的最优配置：{0}。</translation>
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
   <source>“{0}” is not possible.</source>
   <translation>“{0}”不可用。</translation>
  </message>
  <message>
   <source>At most {0} decimals.</source>
   <translation>最多 {0} 位小数。</translation>
  </message>
  <message>
   <source>The value stays {0}.</source>
   <translation>仍为 {0}。</translation>
  </message>
 </context>
 <context>
  <name>plots</name>
  <message>
   <source>burst ×{0}</source>
   <translation>突发 ×{0}</translation>
  </message>
  <message>
   <source>burst ends</source>
   <translation>突发结束</translation>
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
   <source>No prompt is longer than one step ({0} tokens)</source>
   <translation>没有比一步（{0} token）更长的提示</translation>
  </message>
  <message>
   <source>Not on the metrics page; a watch sees no individual requests</source>
   <translation>指标页中没有；观察看不到单个请求</translation>
  </message>
  <message>
   <source>peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>Not reported: the server has no metrics page, or not this series</source>
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
   <source>Requests that the scheduler runs, and requests that wait for a sequence slot, token budget or KV blocks. If waiting only grows, the server can't keep up with the offered rate.</source>
   <translation>调度器正在运行的请求，以及等待序列槽位、token 预算或 KV 块的请求。等待数只增不减，说明服务器跟不上所给的速率。</translation>
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
   <source>server's mean</source>
   <translation>服务器均值</translation>
  </message>
  <message>
   <source>objective</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>Time from due to the first token, over the last seconds; and the age of the oldest request without one, which shows trouble before any percentile. In a watch: the mean of the last seconds by the server's own histogram.</source>
   <translation>从到期到首个 token 的时间（最近数秒）；以及仍无首个 token 的最久请求的时长，它比任何百分位数更早显出问题。观察时：服务器自己直方图中最近数秒的均值。</translation>
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
   <source>Preempted, rejected</source>
   <translation>抢占、拒绝</translation>
  </message>
  <message>
   <source>requests so far</source>
   <translation>累计请求</translation>
  </message>
  <message>
   <source>preempted</source>
   <translation>被抢占</translation>
  </message>
  <message>
   <source>rejected</source>
   <translation>被拒绝</translation>
  </message>
  <message>
   <source>Preemptions for lack of KV blocks, whose work is computed again, and requests that an admission limit turned away, since the run's start.</source>
   <translation>自运行开始以来，因缺少 KV 块而发生的抢占（其工作要重算），以及被准入上限拒绝的请求。</translation>
  </message>
  <message>
   <source>Parts of TTFT</source>
   <translation>TTFT 的组成</translation>
  </message>
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
   <source>Means over requests that finished just now: the wait in the client for its cap on open requests (max_in_flight), the wait in the server until first scheduled, the time from then to the first token, and the rest of TTFT (network, front end). The last two need a server that reports each request.</source>
   <translation>刚完成的请求的均值：在客户端等待其打开请求上限（max_in_flight）的时间、在服务器中直到首次调度的等待、从那时到首个 token 的时间，以及 TTFT 的其余部分（网络、前端）。后两项需要逐个请求报告的服务器。</translation>
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
   <source>One line for each prompt longer than one step, from its first step to its last: the computed share. A flat line means that the prompt waits behind others.</source>
   <translation>每个长于一步的提示一条线，从其首步到末步：已计算的份额。平直的线表示该提示在其他提示之后等待。</translation>
  </message>
  <message>
   <source>Needs recorded steps: Server, “record every step of the scheduler”</source>
   <translation>须记录服务器各步：服务器，“记录调度器的每一步”</translation>
  </message>
  <message>
   <source>ITL</source>
   <translation>ITL</translation>
  </message>
  <message>
   <source>Gaps between output tokens, pooled over the tokens of requests that finished just now. In a watch: the mean of the last seconds by the server's own histogram.</source>
   <translation>输出 token 之间的间隔，汇集刚刚完成的请求的全部 token。观察时：服务器自己直方图中最近数秒的均值。</translation>
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
   <source>Prompt tokens computed and output tokens generated per second.</source>
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
   <source>Requests that were due, that completed and that were rejected, over the last seconds.</source>
   <translation>最近数秒内到期、完成与被拒绝的请求。</translation>
  </message>
  <message>
   <source>No request was due</source>
   <translation>没有到期的请求</translation>
  </message>
  <message>
   <source>Imbalance</source>
   <translation>不均衡</translation>
  </message>
  <message>
   <source>largest / mean</source>
   <translation>最大值 / 平均值</translation>
  </message>
  <message>
   <source>Largest over mean between the engines or replicas: 1 is even, their number is all on one. Waiting and KV cache now; requests are those finished since the run's start.</source>
   <translation>各引擎或副本之间最大值除以平均值：1 表示均匀，等于其个数表示全部集中在一个上。等待数和 KV 缓存是当前值；请求是运行开始以来完成的。</translation>
  </message>
  <message>
   <source>Only one engine, or no load on any</source>
   <translation>只有一个引擎，或都没有负载</translation>
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
   <source>Cores busy with the engine's process, with the server's HTTP process, and with the busiest load worker. A process that stays at one whole core can be the bottleneck.</source>
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
   <source>Share of time with a running kernel, and of memory in use, for the busiest and fullest GPU. A simulated server has none.</source>
   <translation>最忙与最满的 GPU 上有内核运行的时间份额与显存占用份额。模拟服务器没有。</translation>
  </message>
  <message>
   <source>No GPU found; a simulated server has none</source>
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
   <source>Give the name of a variable, not the key itself: drafts are stored.</source>
   <translation>请给出变量名，而非密钥本身：草稿会被保存。</translation>
  </message>
  <message>
   <source>Give the server's address, such as http://127.0.0.1:8000.</source>
   <translation>请给出服务器地址，如 http://127.0.0.1:8000。</translation>
  </message>
  <message>
   <source>These arguments can't be split: {0}.</source>
   <translation>无法拆分这些参数：{0}。</translation>
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
   <source>An attached server can't be restarted. Test {0}, or start the server here.</source>
   <translation>已连接的服务器无法重启。请测试 {0}，或在此启动服务器。</translation>
  </message>
  <message>
   <source>Give at least one value to compare with the baseline.</source>
   <translation>请至少给出一个与基线比较的取值。</translation>
  </message>
  <message>
   <source>Choose the second control and give its value.</source>
   <translation>请选择第二个控制项并给出其取值。</translation>
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
   <source>rate, in requests per second</source>
   <translation>速率（每秒请求数）</translation>
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
   <source>{0} is not a time: give seconds above 0, or nothing.</source>
   <translation>{0} 不是时间：请给出大于 0 的秒数，或留空。</translation>
  </message>
  <message>
   <source>A load at given concurrency has no rate to change.</source>
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
   <source>An experiment of kind {0} can't stop early.</source>
   <translation>{0} 类实验不能提前停止。</translation>
  </message>
  <message>
   <source>Give at least one {0}.</source>
   <translation>请至少给出一个{0}。</translation>
  </message>
  <message>
   <source>{0} is not a {1}: give a number above 0.</source>
   <translation>{0} 不是{1}：请给出大于 0 的数。</translation>
  </message>
  <message>
   <source>{0} is not a number.</source>
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
   <source>Must be above 0 ms: no request can meet 0.</source>
   <translation>须大于 0 ms：没有请求能满足。</translation>
  </message>
  <message>
   <source>Must be at most {0}.</source>
   <translation>不能超过 {0}。</translation>
  </message>
  <message>
   <source>{0} is not a price: give a number above 0, or nothing.</source>
   <translation>{0} 不是价格：请给出大于 0 的数，或留空。</translation>
  </message>
  <message>
   <source>Name the currency, such as EUR.</source>
   <translation>请注明货币，如 EUR。</translation>
  </message>
  <message>
   <source>Give the date of the price, such as 2026-11-01.</source>
   <translation>请注明价格的日期，如 2026-11-01。</translation>
  </message>
  <message>
   <source>Give the source of the price.</source>
   <translation>请注明价格的来源。</translation>
  </message>
 </context>
 <context>
  <name>recent results</name>
  <message>
   <source>Name</source>
   <translation>名称</translation>
  </message>
  <message>
   <source>System</source>
   <translation>系统</translation>
  </message>
  <message>
   <source>Trace</source>
   <translation>轨迹</translation>
  </message>
  <message>
   <source>Verdict</source>
   <translation>结论</translation>
  </message>
  <message>
   <source>Date</source>
   <translation>日期</translation>
  </message>
 </context>
 <context>
  <name>remembered servers</name>
  <message>
   <source>{0}: the remembered servers can't be read: {1}</source>
   <translation>{0}：无法读取记住的服务器：{1}</translation>
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
   <source>When the request was due by the schedule.</source>
   <translation>时间表规定的时刻。</translation>
  </message>
  <message>
   <source>TTFT</source>
   <translation>TTFT</translation>
  </message>
  <message>
   <source>From due to the first token; ≥ if none came.</source>
   <translation>从到期至首个 token；直到结束仍无者记为 ≥。</translation>
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
   <source>From due until sent: waits in the client.</source>
   <translation>从到期至发出：客户端自身的等待。</translation>
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
   <source>Number of preemptions for lack of KV blocks; needs recorded steps.</source>
   <translation>因缺少 KV 块被抢占的次数；须记录调度器的步骤。</translation>
  </message>
  <message>
   <source>Prefill</source>
   <translation>预填充</translation>
  </message>
  <message>
   <source>From first scheduled to the first token.</source>
   <translation>从调度至生成首个 token。</translation>
  </message>
  <message>
   <source>Outside</source>
   <translation>引擎之外</translation>
  </message>
  <message>
   <source>The part of TTFT outside queue and prefill: HTTP, tokenizing, network.</source>
   <translation>首个 token 之前的时间中既非排队也非预填充的部分：HTTP、分词、网络路程。</translation>
  </message>
  <message>
   <source>TPOT</source>
   <translation>TPOT</translation>
  </message>
  <message>
   <source>Mean time per output token after the first.</source>
   <translation>首个之后每个输出 token 的平均时间。</translation>
  </message>
  <message>
   <source>E2E</source>
   <translation>E2E</translation>
  </message>
  <message>
   <source>From due to the end.</source>
   <translation>从到期至结束。</translation>
  </message>
  <message>
   <source>Outcome</source>
   <translation>结局</translation>
  </message>
  <message>
   <source>Requested</source>
   <translation>要求</translation>
  </message>
  <message>
   <source>Output tokens requested.</source>
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
   <source>HTTP status of the response.</source>
   <translation>应答的状态码。</translation>
  </message>
  <message>
   <source>Finish</source>
   <translation>结束原因</translation>
  </message>
  <message>
   <source>Why the server ended the response.</source>
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
   <source>Requests due per second.</source>
   <translation>每秒到期的请求。</translation>
  </message>
  <message>
   <source>Completed</source>
   <translation>完成</translation>
  </message>
  <message>
   <source>Requests completed per second.</source>
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
   <source>From due to the first token; 95 of 100 requests were faster.</source>
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
   <source>From due to the end; 95 of 100 requests were faster.</source>
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
   <source>Requests preempted for lack of KV blocks; their work is computed again.</source>
   <translation>因缺少 KV 块而被抢占的请求；其工作将重新计算。</translation>
  </message>
  <message>
   <source>Objectives</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>Result for every objective, overall and in each class.</source>
   <translation>每个目标的结果，总体与各类别。</translation>
  </message>
  <message>
   <source>Verdict</source>
   <translation>结论</translation>
  </message>
  <message>
   <source>The run compared with its baseline; only repeats separate a difference from chance.</source>
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
   <source>Settings that changed besides the control under test, as reported by the server.</source>
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
  <name>server memory</name>
  <message>
   <source>✓ {0} requests of {1} tokens fit at once</source>
   <translation>✓ 可同时容纳 {0} 个 {1} token 的请求</translation>
  </message>
  <message>
   <source>✗ One request of {0} tokens doesn't fit</source>
   <translation>✗ 容纳不下一个 {0} token 的请求</translation>
  </message>
  <message>
   <source>; {0} do</source>
   <translation>；可容纳 {0}</translation>
  </message>
  <message>
   <source>KV cache</source>
   <translation>KV 缓存</translation>
  </message>
  <message>
   <source>Tokens</source>
   <translation>token 数</translation>
  </message>
  <message>
   <source>Blocks</source>
   <translation>块数</translation>
  </message>
  <message>
   <source>At once</source>
   <translation>可同时容纳</translation>
  </message>
  <message>
   <source>Longest that fits</source>
   <translation>可容纳的最大长度</translation>
  </message>
  <message>
   <source>{0} tokens</source>
   <translation>{0} token</translation>
  </message>
  <message>
   <source>Weights</source>
   <translation>权重</translation>
  </message>
  <message>
   <source>Activation</source>
   <translation>激活</translation>
  </message>
  <message>
   <source>Overhead</source>
   <translation>额外开销</translation>
  </message>
  <message>
   <source>Budget</source>
   <translation>显存预算</translation>
  </message>
  <message>
   <source>KV of a token</source>
   <translation>每个 token 的 KV</translation>
  </message>
  <message>
   <source>{0} bytes</source>
   <translation>{0} 字节</translation>
  </message>
  <message>
   <source>({0} to {1})</source>
   <translation>（{0} 至 {1}）</translation>
  </message>
  <message>
   <source>{0} of {1} tokens</source>
   <translation>{0}，每块 {1} token</translation>
  </message>
  <message>
   <source>{0} requests of {1} tokens</source>
   <translation>{0} 个 {1} token 的请求</translation>
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
   <translation>无法读取设置（{0}）。现用默认值；旧文件保留为 {1}。</translation>
  </message>
 </context>
 <context>
  <name>stage</name>
  <message>
   <source>no sequence slot is free</source>
   <translation>没有空闲的序列槽位</translation>
  </message>
  <message>
   <source>the token budget is used up</source>
   <translation>token 预算已用完</translation>
  </message>
  <message>
   <source>too few KV blocks are free</source>
   <translation>空闲的 KV 块太少</translation>
  </message>
  <message>
   <source>this step preempted a request</source>
   <translation>本步骤抢占了一个请求</translation>
  </message>
  <message>
   <source>a slot</source>
   <translation>槽位</translation>
  </message>
  <message>
   <source>token budget</source>
   <translation>token 预算</translation>
  </message>
  <message>
   <source>KV blocks</source>
   <translation>KV 块</translation>
  </message>
  <message>
   <source>a preemption</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>other</source>
   <translation>其他</translation>
  </message>
  <message>
   <source>recompute</source>
   <translation>重算</translation>
  </message>
  <message>
   <source>prefill</source>
   <translation>预填充</translation>
  </message>
  <message>
   <source>decode</source>
   <translation>解码</translation>
  </message>
  <message>
   <source>free slot</source>
   <translation>空闲槽位</translation>
  </message>
  <message>
   <source>not scheduled</source>
   <translation>未被调度</translation>
  </message>
  <message>
   <source>prompt {0} tokens</source>
   <translation>提示 {0} 个 token</translation>
  </message>
  <message>
   <source>step {0}</source>
   <translation>步骤 {0}</translation>
  </message>
  <message>
   <source>{0} steps from {1}</source>
   <translation>从步骤 {1} 起的 {0} 个步骤</translation>
  </message>
  <message>
   <source>tokens</source>
   <translation>token</translation>
  </message>
  <message>
   <source>of {0}</source>
   <translation>共 {0}</translation>
  </message>
  <message>
   <source>waiting</source>
   <translation>等待</translation>
  </message>
  <message>
   <source>the head of the queue waits: {0}</source>
   <translation>队首在等待：{0}</translation>
  </message>
  <message>
   <source>{0} … mean {1} … {2}</source>
   <translation>{0} … 平均 {1} … {2}</translation>
  </message>
  <message>
   <source>the batch to end</source>
   <translation>批次结束</translation>
  </message>
  <message>
   <source>Time</source>
   <translation>时间</translation>
  </message>
  <message>
   <source>Waiting</source>
   <translation>等待</translation>
  </message>
  <message>
   <source>up to {0}</source>
   <translation>最多 {0}</translation>
  </message>
  <message>
   <source>Slots</source>
   <translation>槽位</translation>
  </message>
  <message>
   <source>up to {0} of {1}</source>
   <translation>最多 {0}，共 {1}</translation>
  </message>
  <message>
   <source>Budget</source>
   <translation>预算</translation>
  </message>
  <message>
   <source>{0} tokens</source>
   <translation>{0} token</translation>
  </message>
  <message>
   <source>Step time</source>
   <translation>步骤时长</translation>
  </message>
  <message>
   <source>up to {0} ms</source>
   <translation>最长 {0} ms</translation>
  </message>
  <message>
   <source>head waits for</source>
   <translation>队首等待</translation>
  </message>
  <message>
   <source>{0} took {1}: {2}.</source>
   <translation>{0} 用时 {1}：{2}。</translation>
  </message>
  <message>
   <source>behind {0} and {1} more</source>
   <translation>在 {0} 及另外 {1} 个之后</translation>
  </message>
  <message>
   <source>behind {0}</source>
   <translation>在 {0} 之后</translation>
  </message>
  <message>
   <source>Step {0} at {1} s, {2} ms</source>
   <translation>步骤 {0}，{1} s，时长 {2} ms</translation>
  </message>
  <message>
   <source>{0} of {1} tokens: prefill {2}, decode {3}, recomputed {4}</source>
   <translation>{1} 个 token 中用了 {0}：预填充 {2}，解码 {3}，重算 {4}</translation>
  </message>
  <message>
   <source>{0} of {1} KV blocks in use</source>
   <translation>{1} 个 KV 块中使用 {0}</translation>
  </message>
  <message>
   <source>Request</source>
   <translation>请求</translation>
  </message>
  <message>
   <source>Tokens</source>
   <translation>Token</translation>
  </message>
  <message>
   <source>Blocks</source>
   <translation>块</translation>
  </message>
  <message>
   <source>Why</source>
   <translation>原因</translation>
  </message>
  <message>
   <source>recomputes what its preemption lost</source>
   <translation>重算因抢占丢失的内容</translation>
  </message>
  <message>
   <source>prefill, {0} of {1} tokens so far</source>
   <translation>预填充，已完成 {1} 中的 {0} 个 token</translation>
  </message>
  <message>
   <source>preempted: KV blocks ran out</source>
   <translation>被抢占：KV 块用完</translation>
  </message>
  <message>
   <source>preempted: {0} took its KV blocks</source>
   <translation>被抢占：{0} 拿走了它的 KV 块</translation>
  </message>
  <message>
   <source>its last output is still being computed</source>
   <translation>它的上一个输出仍在计算</translation>
  </message>
  <message>
   <source>waits</source>
   <translation>等待</translation>
  </message>
  <message>
   <source>behind the head</source>
   <translation>在队首之后</translation>
  </message>
  <message>
   <source>{0}; preempted before</source>
   <translation>{0}；此前被抢占</translation>
  </message>
  <message>
   <source>{0} more wait</source>
   <translation>另有 {0} 个等待</translation>
  </message>
 </context>
 <context>
  <name>status line</name>
  <message>
   <source>no server</source>
   <translation>没有服务器</translation>
  </message>
  <message>
   <source>demo {0}: replayed exactly on {1}, simulated</source>
   <translation>演示 {0}：在 {1} 上精确重放，为模拟</translation>
  </message>
  <message>
   <source>bench file {0}</source>
   <translation>基准文件 {0}</translation>
  </message>
  <message>
   <source>no news for some seconds: the data is old</source>
   <translation>数秒没有新消息：数据已过时</translation>
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
   <source>calibrating the client, about {0}</source>
   <translation>正在校准客户端，约 {0}</translation>
  </message>
  <message>
   <source>client not calibrated</source>
   <translation>客户端未校准</translation>
  </message>
  <message>
   <source>client resolves TTFT {0} ms, ITL {1} ms</source>
   <translation>客户端可分辨 TTFT {0} ms、ITL {1} ms</translation>
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
  <message>
   <source>connecting to the server</source>
   <translation>正在连接服务器</translation>
  </message>
  <message>
   <source>server connected</source>
   <translation>服务器已连接</translation>
  </message>
  <message>
   <source>disconnecting from the server</source>
   <translation>正在断开服务器</translation>
  </message>
  <message>
   <source>server disconnected</source>
   <translation>服务器已断开</translation>
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
   <source>TTFT grows throughout the run: the server can't keep up, so percentiles depend on the run's length</source>
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
   <translation>{0} 未知（上限 {1}）</translation>
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
   <source>Best by {0}.</source>
   <translation>按{0}最优。</translation>
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
   <source>Rejections make the other requests faster: set an error objective to decide.</source>
   <translation>拒绝会使其余请求更快：请设置错误目标以作判定。</translation>
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
   <source>{0}, but {1}</source>
   <translation>{0}，但{1}</translation>
  </message>
  <message>
   <source>diverging</source>
   <translation>发散</translation>
  </message>
  <message>
   <source>TTFT doesn't grow during the run, but the baseline's does; </source>
   <translation>TTFT 不随运行增长，基线则增长；</translation>
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
 </context>
 <context>
  <name>verdict bar</name>
  <message>
   <source>No result yet: run a plan, a demo, or open a bench file.</source>
   <translation>尚无结果：请运行计划或演示，或打开基准文件。</translation>
  </message>
  <message>
   <source>No run was measured.</source>
   <translation>没有测量任何运行。</translation>
  </message>
  <message>
   <source>objectives met</source>
   <translation>达到目标</translation>
  </message>
  <message>
   <source>objective missed: {0}</source>
   <translation>未达目标：{0}</translation>
  </message>
  <message>
   <source>{0} req/s</source>
   <translation>{0} 请求/秒</translation>
  </message>
  <message>
   <source>p95 TTFT {0}</source>
   <translation>p95 TTFT {0}</translation>
  </message>
  <message>
   <source>p95 TTFT {0} s</source>
   <translation>p95 TTFT {0} 秒</translation>
  </message>
  <message>
   <source>Watched; too few samples for a diagnosis.</source>
   <translation>已观察；采样太少，无法诊断。</translation>
  </message>
  <message>
   <source>Baseline</source>
   <translation>基线</translation>
  </message>
  <message>
   <source>Stopping; finished runs are kept</source>
   <translation>正在停止；已完成的运行会保留</translation>
  </message>
  <message>
   <source>Preparing the plan</source>
   <translation>正在准备计划</translation>
  </message>
  <message>
   <source>Connecting to the server</source>
   <translation>正在连接服务器</translation>
  </message>
  <message>
   <source>Starting the server: {0}</source>
   <translation>正在启动服务器：{0}</translation>
  </message>
  <message>
   <source>Starting the server</source>
   <translation>正在启动服务器</translation>
  </message>
  <message>
   <source>Watching, nothing is sent</source>
   <translation>正在观察，不发送请求</translation>
  </message>
  <message>
   <source>Run {0} of {1}: {2}</source>
   <translation>第 {0}/{1} 次运行：{2}</translation>
  </message>
  <message>
   <source>{0} running, {1} waiting</source>
   <translation>{0} 个请求在运行，{1} 个在等待</translation>
  </message>
  <message>
   <source>no bottleneck so far</source>
   <translation>目前没有瓶颈</translation>
  </message>
  <message>
   <source>bottleneck so far: {0}, {1} % of the time</source>
   <translation>目前的瓶颈：{0}，占 {1} % 的时间</translation>
  </message>
 </context>
 <context>
  <name>workload figures</name>
  <message>
   <source>{0} requests, in {1} (p95 {2}), out {3} (p95 {4}) tokens</source>
   <translation>{0} 个请求，输入 {1}（p95 {2}），输出 {3}（p95 {4}） token</translation>
  </message>
  <message>
   <source>{0}, {1} req/s</source>
   <translation>{0}（{1} 请求/s）</translation>
  </message>
 </context>
</TS>
