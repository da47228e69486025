<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
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
   <source>from the experiments</source>
   <translation>取自各实验</translation>
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
   <source>Missing data</source>
   <translation>缺少的信息</translation>
  </message>
  <message>
   <source>Missing data and remarks</source>
   <translation>缺少的信息与说明</translation>
  </message>
  <message>
   <source>&amp;Demand</source>
   <translation>需求(&amp;D)</translation>
  </message>
  <message>
   <source>Hours and accepted requests per second, such as 8:2,16:6.5</source>
   <translation>小时数与每秒合格请求数，例如 8:2,16:6.5</translation>
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
   <source>Demand to serve</source>
   <translation>需要承担的负载</translation>
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
  <name>DoctorRun</name>
  <message>
   <source>The check ended without a result.</source>
   <translation>检查结束但没有结果。</translation>
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
   <source>Insights</source>
   <translation>分析</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
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
   <source>under test</source>
   <translation>受测</translation>
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
   <source>Start the form's server, read back its settings, stop it</source>
   <translation>启动表单中的服务器，读回其实际设置，然后停止</translation>
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
  <name>SessionBook</name>
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
   <source>Start a new experiment with defaults</source>
   <translation>从默认值开始一个实验</translation>
  </message>
  <message>
   <source>&amp;Open experiment…</source>
   <translation>打开实验(&amp;O)…</translation>
  </message>
  <message>
   <source>Open an experiment file (TOML)</source>
   <translation>打开实验文件（TOML）</translation>
  </message>
  <message>
   <source>Open &amp;bench file…</source>
   <translation>打开基准文件(&amp;B)…</translation>
  </message>
  <message>
   <source>Open stored results, read-only</source>
   <translation>只读打开已保存的结果</translation>
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
   <source>Run the &amp;demo</source>
   <translation>运行演示(&amp;D)</translation>
  </message>
  <message>
   <source>A simulated H100: three changes, about a minute</source>
   <translation>模拟的 H100：三处更改，约一分钟</translation>
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
   <source>Next step of the demo</source>
   <translation>演示的下一步</translation>
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
   <source>Head waits: no free seat, {0} of {1} taken.</source>
   <translation>队首等待：无空席位，{1} 个中已占 {0} 个。</translation>
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
   <source>Head of the queue waits for the next step: this step's token budget is spent.</source>
   <translation>队首等待下一步：本步的 token 预算已用尽。</translation>
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
  <name>core</name>
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
   <source>blocked head of the queue</source>
   <translation>队首受阻</translation>
  </message>
  <message>
   <source>one request owns the pool</source>
   <translation>一个请求独占缓存池</translation>
  </message>
  <message>
   <source>decode starved by prefill</source>
   <translation>解码因预填充受饿</translation>
  </message>
  <message>
   <source>no limit</source>
   <translation>无限制</translation>
  </message>
  <message>
   <source>not seen</source>
   <translation>未见</translation>
  </message>
  <message>
   <source>tuning guide, diagnosis</source>
   <translation>调优指南，诊断</translation>
  </message>
  <message>
   <source>up to {0} ran</source>
   <translation>最多 {0} 个在运行</translation>
  </message>
  <message>
   <source>{0} waited</source>
   <translation>{0} 个等待过</translation>
  </message>
  <message>
   <source>KV at most {0}</source>
   <translation>KV 最高 {0}</translation>
  </message>
  <message>
   <source>Running stays at {0}: a sequence limit there, by the look of it.</source>
   <translation>运行数停在 {0}：看来那里有序列上限。</translation>
  </message>
  <message>
   <source>The sequence limit binds: {0} {1} is full while others wait.</source>
   <translation>受序列上限所限：{0} {1} 已占满，其余在等待。</translation>
  </message>
  <message>
   <source>The KV cache is full: {0} preemptions, their work is computed again.</source>
   <translation>KV 缓存已满：{0} 次抢占，这些工作要重新计算。</translation>
  </message>
  <message>
   <source>Longest pause within an answer: {0}.</source>
   <translation>回答中最长的停顿：{0}。</translation>
  </message>
  <message>
   <source>The KV cache is full: requests wait for blocks.</source>
   <translation>KV 缓存已满：请求在等待块。</translation>
  </message>
  <message>
   <source>requests wait for blocks</source>
   <translation>请求在等待块</translation>
  </message>
  <message>
   <source>The next prompt in the queue needs more KV blocks than are free, though the pool isn't full.</source>
   <translation>队列中的下一个提示所需的 KV 块多于空闲块，尽管缓存池未满。</translation>
  </message>
  <message>
   <source>long prompts wait for room</source>
   <translation>长提示在等待空位</translation>
  </message>
  <message>
   <source>Prompt tokens/s flat at {0}; seats and KV had room.</source>
   <translation>提示 token/s 持平于 {0}；席位与 KV 均有余。</translation>
  </message>
  <message>
   <source>Prompt tokens/s around {0}; seats and KV had room.</source>
   <translation>提示 token/s 约为 {0}；席位与 KV 均有余。</translation>
  </message>
  <message>
   <source>flat at</source>
   <translation>持平于</translation>
  </message>
  <message>
   <source>Prefill binds: the token budget of each step is spent while seats and KV are free.</source>
   <translation>受预填充所限：每步的 token 预算都用尽，而席位与 KV 空闲。</translation>
  </message>
  <message>
   <source>The batch is closed: under static batching nobody joins before its last member has ended.</source>
   <translation>批已封闭：静态批处理下，最后一个成员结束之前无人可加入。</translation>
  </message>
  <message>
   <source>Requests are deferred: not for want of seats, tokens or memory, as the server says itself.</source>
   <translation>请求被推迟：服务器自己说明，并非缺少席位、token 或内存。</translation>
  </message>
  <message>
   <source>Up to {0} deferred of {1} waiting.</source>
   <translation>等待的 {1} 个中最多有 {0} 个被推迟。</translation>
  </message>
  <message>
   <source>look at the budget of LoRA adapters, KV transfer and structured output, which defer requests.</source>
   <translation>请查看会推迟请求的 LoRA 适配器预算、KV 传输与结构化输出。</translation>
  </message>
  <message>
   <source>waiting by reason</source>
   <translation>按原因分的等待数</translation>
  </message>
  <message>
   <source>Requests wait, yet seats and KV are free and no prompt gets through: memory isn't the limit.</source>
   <translation>请求在等待，席位与 KV 空闲，却没有提示通过：内存不是限制。</translation>
  </message>
  <message>
   <source>look for what holds the head back: structured output, LoRA slots, KV transfer, or a paused engine.</source>
   <translation>查明是什么挡住了队首：结构化输出、LoRA 槽位、KV 传输，或引擎被暂停。</translation>
  </message>
  <message>
   <source>an admission limit</source>
   <translation>准入上限</translation>
  </message>
  <message>
   <source>The admission limit refuses requests, as intended: {0} rejected by {1}.</source>
   <translation>准入上限按设定拒绝请求：{0} 个被 {1} 拒绝。</translation>
  </message>
  <message>
   <source>One request holds {0} of the KV cache and the others wait behind it.</source>
   <translation>一个请求占住 KV 缓存的 {0}，其余在它后面等待。</translation>
  </message>
  <message>
   <source>abort it, or lower max_model_len so that no single request can hold the pool.</source>
   <translation>中止它，或降低 max_model_len，使任何单个请求都占不满缓存池。</translation>
  </message>
  <message>
   <source>running, KV use</source>
   <translation>运行数、KV 使用率</translation>
  </message>
  <message>
   <source>Prefill starves decoding: answers under way stand still while long prompts are read.</source>
   <translation>预填充使解码受饿：读取长提示期间，进行中的回答停顿。</translation>
  </message>
  <message>
   <source>Around {0} tokens/s then, {1} usually.</source>
   <translation>当时约 {0} token/s，平常为 {1}。</translation>
  </message>
  <message>
   <source>The client holds back: max_in_flight {0} is full and the server has room.</source>
   <translation>客户端有所保留：max_in_flight {0} 已满，而服务器仍有余力。</translation>
  </message>
  <message>
   <source>Up to {0} requests waited at the client; none in the server.</source>
   <translation>最多有 {0} 个请求在客户端等待；服务器中没有等待。</translation>
  </message>
  <message>
   <source>The load is closed: {0} requests are open at most; none waits inside.</source>
   <translation>负载是闭环的：最多同时打开 {0} 个请求；内部没有等待。</translation>
  </message>
  <message>
   <source>The client sends late, and the server has room.</source>
   <translation>客户端发送偏晚，而服务器仍有余力。</translation>
  </message>
  <message>
   <source>Up to {0} requests were due and not sent.</source>
   <translation>最多有 {0} 个请求已到期而未发送。</translation>
  </message>
  <message>
   <source>Up to {0} were sent that it didn't know of; it had room.</source>
   <translation>最多有 {0} 个已发送而它不知道；它仍有余力。</translation>
  </message>
  <message>
   <source>give the front end more CPU: --api-server-count 2, or shorter prompts a request.</source>
   <translation>给前端更多 CPU：--api-server-count 2，或缩短每个请求的提示。</translation>
  </message>
  <message>
   <source>host CPU, TTFT against queue time</source>
   <translation>主机 CPU、TTFT 与排队时间之比</translation>
  </message>
  <message>
   <source>Requests hang before the scheduler: tokenising, the HTTP server, or the network.</source>
   <translation>请求卡在调度器之前：分词、HTTP 服务器或网络。</translation>
  </message>
  <message>
   <source>Its HTTP process used {0} of a core meanwhile.</source>
   <translation>其间它的 HTTP 进程用了一个核的 {0}。</translation>
  </message>
  <message>
   <source>The front end's processor binds: tokenising and HTTP take all that one process can.</source>
   <translation>受前端处理器所限：分词与 HTTP 用尽了一个进程的能力。</translation>
  </message>
  <message>
   <source>Requests hang before the scheduler, and not for want of CPU: network, or a proxy before it.</source>
   <translation>请求卡在调度器之前，而并非 CPU 不足：是网络，或其前面的代理。</translation>
  </message>
  <message>
   <source>measure from the server's own machine, without what stands between.</source>
   <translation>在服务器所在的机器上测量，去掉中间环节。</translation>
  </message>
  <message>
   <source>TTFT against queue time</source>
   <translation>TTFT 与排队时间之比</translation>
  </message>
  <message>
   <source>Stuck: requests are there, but for a minute no token came and none finished.</source>
   <translation>卡住：有请求在，但一分钟内没有 token 到来，也没有请求结束。</translation>
  </message>
  <message>
   <source>keep its log and metrics, restart the server, report it.</source>
   <translation>保留其日志与指标，重启服务器，并报告此事。</translation>
  </message>
  <message>
   <source>Livelock: requests wait, nothing runs and the KV cache is empty.</source>
   <translation>活锁：有请求等待，无一运行，而 KV 缓存是空的。</translation>
  </message>
  <message>
   <source>restart the server and report it; a request may be larger than the whole pool.</source>
   <translation>重启服务器并报告此事；可能有请求大于整个缓存池。</translation>
  </message>
  <message>
   <source>no token and no end of a request for 60 s while some are there</source>
   <translation>有请求在，而 60 s 内没有 token，也没有请求结束</translation>
  </message>
  <message>
   <source>the rejection counter rises</source>
   <translation>拒绝计数上升</translation>
  </message>
  <message>
   <source>one runs with half of the pool or more, others wait</source>
   <translation>一个在运行且占缓存池一半以上，其余在等待</translation>
  </message>
  <message>
   <source>waiting &gt; 0 and running at the sequence limit</source>
   <translation>waiting &gt; 0，且运行数达到序列上限</translation>
  </message>
  <message>
   <source>KV &gt;= 90 % and waiting or preempting; or the next prompt is larger than what is free</source>
   <translation>KV &gt;= 90 % 且有等待或抢占；或下一个提示大于空闲量</translation>
  </message>
  <message>
   <source>generated tokens/s below 10 % of their median while prompts are read</source>
   <translation>读取提示期间，生成的 token/s 低于其中位数的 10 %</translation>
  </message>
  <message>
   <source>waiting &gt; 0 with seats and KV free, and prompts come through</source>
   <translation>waiting &gt; 0，席位与 KV 空闲，且有提示通过</translation>
  </message>
  <message>
   <source>waiting &gt; 0 with seats and KV free, and no prompt comes through; or the server says deferred</source>
   <translation>waiting &gt; 0，席位与 KV 空闲，且没有提示通过；或服务器说明为推迟</translation>
  </message>
  <message>
   <source>nothing waits in the server while the client holds requests back</source>
   <translation>服务器中没有等待，而客户端压住请求</translation>
  </message>
  <message>
   <source>a third of the open requests are unknown to the scheduler, which has room</source>
   <translation>打开的请求中有三分之一调度器不知道，而它仍有余力</translation>
  </message>
  <message>
   <source>lower the rate, or make prompts share prefixes: prefill is what the card can do.</source>
   <translation>降低速率，或让提示共享前缀：预填充已到显卡的极限。</translation>
  </message>
  <message>
   <source>{0} {1} → {2}: with it this limit bound no more.</source>
   <translation>{0} {1} → {2}：如此则此限制不再起作用。</translation>
  </message>
  <message>
   <source>find out max_num_seqs; it looks reached.</source>
   <translation>查明 max_num_seqs；看来已经达到。</translation>
  </message>
  <message>
   <source>running requests</source>
   <translation>运行中的请求</translation>
  </message>
  <message>
   <source>longer steps: inter-token latency grows; KV use wasn't seen</source>
   <translation>每步更长：token 间延迟增大；KV 使用率未见</translation>
  </message>
  <message>
   <source>the pool is {0} full with {1} seats</source>
   <translation>{1} 个席位下缓存池已满 {0}</translation>
  </message>
  <message>
   <source>longer steps: inter-token latency grows; KV use would be about {0}</source>
   <translation>每步更长：token 间延迟增大；KV 使用率约为 {0}</translation>
  </message>
  <message>
   <source>longer steps: inter-token latency grows; KV use would be about {0}, and as the pool holds {1} requests to their end preemptions can begin</source>
   <translation>每步更长：token 间延迟增大；KV 使用率约为 {0}，而缓存池只容纳 {1} 个请求直到结束，因此可能开始抢占</translation>
  </message>
  <message>
   <source>tokens/s, for fewer run at once; where pauses keep within the targets, preemptions can be worth it</source>
   <translation>token/s，因为同时运行的变少；若停顿仍在目标之内，抢占可能是值得的</translation>
  </message>
  <message>
   <source>The pool holds {0} requests of this load's mean length to their end.</source>
   <translation>KV 池可容纳 {0} 个本负载平均长度的请求直到结束。</translation>
  </message>
  <message>
   <source>memory, if the card has it; {0}</source>
   <translation>显存，如果显卡有余；{0}</translation>
  </message>
  <message>
   <source>less memory in reserve: a start or a long prompt can run out of it; {0}</source>
   <translation>预留的内存减少：启动或长提示可能因此耗尽内存；{0}</translation>
  </message>
  <message>
   <source>answers can change; compare them before keeping it; {0}</source>
   <translation>回答可能改变；保留之前先作比较；{0}</translation>
  </message>
  <message>
   <source>more KV memory: a larger card, more cards, or shorter contexts.</source>
   <translation>更多 KV 内存：更大的显卡、更多显卡，或更短的上下文。</translation>
  </message>
  <message>
   <source>preemptions, KV use</source>
   <translation>抢占、KV 使用率</translation>
  </message>
  <message>
   <source>prompt tokens/s, TTFT</source>
   <translation>提示 token/s、TTFT</translation>
  </message>
  <message>
   <source>each step with prefill takes longer: gaps of decoding requests grow</source>
   <translation>含预填充的每一步更久：解码请求的间隔增大</translation>
  </message>
  <message>
   <source>raise max_num_batched_tokens above the server's value.</source>
   <translation>将 max_num_batched_tokens 提高到服务器的值以上。</translation>
  </message>
  <message>
   <source>TTFT of long prompts grows</source>
   <translation>长提示的 TTFT 增大</translation>
  </message>
  <message>
   <source>static_batching on → off: vLLM batches continuously.</source>
   <translation>static_batching on → off：vLLM 采用连续批处理。</translation>
  </message>
  <message>
   <source>steps grow a little longer for those already in the batch</source>
   <translation>对已在批中的请求，每步略微变长</translation>
  </message>
  <message>
   <source>those let in wait longer: queue time and TTFT grow</source>
   <translation>被放入的等得更久：排队时间与 TTFT 增大</translation>
  </message>
  <message>
   <source>keep it if callers can retry; else {0}</source>
   <translation>若调用方能重试则保留；否则{0}</translation>
  </message>
  <message>
   <source>find out which admission limit refuses requests.</source>
   <translation>查明是哪个准入上限在拒绝请求。</translation>
  </message>
  <message>
   <source>rejection rate</source>
   <translation>拒绝率</translation>
  </message>
  <message>
   <source>requests wait in the server instead: running and waiting grow</source>
   <translation>请求改在服务器中等待：运行数与等待数增大</translation>
  </message>
  <message>
   <source>concurrency {0} → {1}, or an open loop.</source>
   <translation>concurrency {0} → {1}，或改用开环。</translation>
  </message>
  <message>
   <source>running, waiting, TTFT</source>
   <translation>运行数、等待数、TTFT</translation>
  </message>
  <message>
   <source>the load becomes another one</source>
   <translation>负载变成另一种</translation>
  </message>
  <message>
   <source>let the client keep more requests open.</source>
   <translation>让客户端同时打开更多请求。</translation>
  </message>
  <message>
   <source>completed requests/s</source>
   <translation>完成的请求/s</translation>
  </message>
  <message>
   <source>accepted requests/s</source>
   <translation>合格的请求/s</translation>
  </message>
  <message>
   <source>output tokens/s</source>
   <translation>输出 token/s</translation>
  </message>
  <message>
   <source>TTFT p95</source>
   <translation>TTFT p95</translation>
  </message>
  <message>
   <source>inter-token latency p95</source>
   <translation>token 间延迟 p95</translation>
  </message>
  <message>
   <source>end-to-end p95</source>
   <translation>端到端 p95</translation>
  </message>
  <message>
   <source>queue time p95</source>
   <translation>排队时间 p95</translation>
  </message>
  <message>
   <source>admission wait p95</source>
   <translation>准入等待 p95</translation>
  </message>
  <message>
   <source>error rate</source>
   <translation>错误率</translation>
  </message>
  <message>
   <source>most running</source>
   <translation>最大运行数</translation>
  </message>
  <message>
   <source>KV peak</source>
   <translation>KV 峰值</translation>
  </message>
  <message>
   <source>prefix hits</source>
   <translation>前缀命中</translation>
  </message>
  <message>
   <source>Not comparable: the runs had different requests (trace_sha256 differs).</source>
   <translation>不可比较：两次运行的请求不同（trace_sha256 不同）。</translation>
  </message>
  <message>
   <source>Not comparable: the {0} is not valid ({1}).</source>
   <translation>不可比较：{0}无效（{1}）。</translation>
  </message>
  <message>
   <source>{0} controls differ: no effect can be told from the others.</source>
   <translation>{0} 个控制项不同：无法把各自的效果区分开。</translation>
  </message>
  <message>
   <source>The offered rate differs: {0} and {1} requests/s.</source>
   <translation>所给速率不同：{0} 与 {1} 请求/s。</translation>
  </message>
  <message>
   <source>In both runs</source>
   <translation>两次运行中</translation>
  </message>
  <message>
   <source>In the baseline</source>
   <translation>在基线中</translation>
  </message>
  <message>
   <source>In both runs the queue grows as long as the run lasts: {0} aren't compared.</source>
   <translation>两次运行中队列都随运行一直增长：不比较 {0}。</translation>
  </message>
  <message>
   <source>In the baseline the queue grows as long as the run lasts: {0} aren't compared.</source>
   <translation>基线的队列随运行一直增长：不比较 {0}。</translation>
  </message>
  <message>
   <source>Now the queue grows as long as the run lasts: {0} aren't compared.</source>
   <translation>现在队列随运行一直增长：不比较 {0}。</translation>
  </message>
  <message>
   <source>Within {0}: {1}.</source>
   <translation>在 {0} 以内：{1}。</translation>
  </message>
  <message>
   <source>Neither run has figures to compare.</source>
   <translation>两次运行都没有可比较的数字。</translation>
  </message>
  <message>
   <source>{0} (at most {1})</source>
   <translation>{0}（最多 {1}）</translation>
  </message>
  <message>
   <source>{0} was never reached, neither {1} nor {2}: it can't have mattered here</source>
   <translation>{0} 从未达到，{1} 和 {2} 都没有：它在这里不可能有影响</translation>
  </message>
  <message>
   <source>{0} was never reached, neither {1} nor {2}: it can't have mattered here, and what moved is chance or something else.</source>
   <translation>{0} 从未达到，{1} 和 {2} 都没有：它在这里不可能有影响，变动的是偶然或别的原因。</translation>
  </message>
  <message>
   <source>; not {0}</source>
   <translation>；未改变 {0}</translation>
  </message>
  <message>
   <source>What {0} should move did: {1}; not {2}.</source>
   <translation>{0} 本应改变的确实改变了：{1}；未改变 {2}。</translation>
  </message>
  <message>
   <source>What {0} should move did: {1}.</source>
   <translation>{0} 本应改变的确实改变了：{1}。</translation>
  </message>
  <message>
   <source>None of what {0} should move did ({1}): it didn't matter here.</source>
   <translation>{0} 本应改变的数字都未改变（{1}）：它在此无关紧要。</translation>
  </message>
  <message>
   <source>Not measured in both runs: {0}.</source>
   <translation>并非两次运行都测到：{0}。</translation>
  </message>
  <message>
   <source> (else {0})</source>
   <translation>（否则 {0}）</translation>
  </message>
  <message>
   <source>Their price: a pause of up to {0} within an answer.</source>
   <translation>代价：回答中最长 {0} 的停顿。</translation>
  </message>
  <message>
   <source>Their price: a pause of up to {0} within an answer (else {1}).</source>
   <translation>代价：回答中最长 {0} 的停顿（否则 {1}）。</translation>
  </message>
  <message>
   <source>Prefix hits rose from {0} to {1}</source>
   <translation>前缀命中从 {0} 升到 {1}</translation>
  </message>
  <message>
   <source>Prefix hits rose from {0} to {1}: a warm cache may explain the difference; reset it and repeat.</source>
   <translation>前缀命中从 {0} 升到 {1}：差异可能来自热缓存；请重置缓存后重复。</translation>
  </message>
  <message>
   <source>No limit in either.</source>
   <translation>两者都没有限制。</translation>
  </message>
  <message>
   <source>The limit is the same: {0}, {1} → {2} of the time.</source>
   <translation>限制相同：{0}，占时间的 {1} → {2}。</translation>
  </message>
  <message>
   <source>The limit moved: {0} ({1}) → {2} ({3}).</source>
   <translation>限制转移：{0}（{1}） → {2}（{3}）。</translation>
  </message>
  <message>
   <source>TTFT p50 {0}, {1} times the quickest class's.</source>
   <translation>TTFT p50 为 {0}，是最快类别的 {1} 倍。</translation>
  </message>
  <message>
   <source>TTFT p95 {0}, {1} times the quickest class's.</source>
   <translation>TTFT p95 为 {0}，是最快类别的 {1} 倍。</translation>
  </message>
  <message>
   <source>{0} of it in the queue.</source>
   <translation>其中 {0} 在队列中。</translation>
  </message>
  <message>
   <source>All of it in the queue.</source>
   <translation>全部在队列中。</translation>
  </message>
  <message>
   <source>inter-token latency</source>
   <translation>token 间延迟</translation>
  </message>
  <message>
   <source>end to end</source>
   <translation>端到端</translation>
  </message>
  <message>
   <source>{0} % failed or were refused.</source>
   <translation>{0} % 失败或被拒绝。</translation>
  </message>
  <message>
   <source>{0} {1} {2} misses {3}.</source>
   <translation>{0} {1} 为 {2}，未满足 {3}。</translation>
  </message>
  <message>
   <source>{0} {1} {2} meets {3}.</source>
   <translation>{0} {1} 为 {2}，满足 {3}。</translation>
  </message>
  <message>
   <source>The GPU was busy {0} of the time meanwhile.</source>
   <translation>其间 GPU 有 {0} 的时间忙碌。</translation>
  </message>
  <message>
   <source>; the machine's cores are {0} busy</source>
   <translation>；本机的核忙碌 {0}</translation>
  </message>
  <message>
   <source>; the engine's process has {0} of a core busy: it holds the GPU up</source>
   <translation>；引擎进程占用一个核的 {0}：是它拖住了 GPU</translation>
  </message>
  <message>
   <source>The GPU was busy only {0} of the time meanwhile{1}.</source>
   <translation>其间 GPU 只有 {0} 的时间忙碌{1}。</translation>
  </message>
  <message>
   <source>Processors, network and model loading come before batching then.</source>
   <translation>此时应先看处理器、网络与模型加载，再看批处理。</translation>
  </message>
  <message>
   <source>{0}–{1} s and {2} more times</source>
   <translation>{0}–{1} s，另有 {2} 次</translation>
  </message>
  <message>
   <source>{0}–{1} s and {2} more time</source>
   <translation>{0}–{1} s，另有 {2} 次</translation>
  </message>
  <message>
   <source>Confidence in this: {0}.</source>
   <translation>对此的把握：{0}。</translation>
  </message>
  <message>
   <source>Next: {0}</source>
   <translation>下一步：{0}</translation>
  </message>
  <message>
   <source>Watch {0}.</source>
   <translation>观察 {0}。</translation>
  </message>
  <message>
   <source>It may cost: {0}.</source>
   <translation>可能的代价：{0}。</translation>
  </message>
  <message>
   <source>The KV cache was never full (at most {0}): more of it can't matter here.</source>
   <translation>KV 缓存从未占满（最高 {0}）：再多也无关紧要。</translation>
  </message>
  <message>
   <source>Until {0} s</source>
   <translation>到 {0} s 为止</translation>
  </message>
  <message>
   <source>From {0} s</source>
   <translation>自 {0} s 起</translation>
  </message>
  <message>
   <source>Until {0} s: {1}</source>
   <translation>到 {0} s 为止：{1}</translation>
  </message>
  <message>
   <source>From {0} s: {1}</source>
   <translation>自 {0} s 起：{1}</translation>
  </message>
  <message>
   <source>max_num_batched_tokens {0} never kept a request waiting: raising it can't matter here.</source>
   <translation>max_num_batched_tokens {0} 从未使请求等待：提高它在此无关紧要。</translation>
  </message>
  <message>
   <source>max_num_batched_tokens {0} kept requests waiting in {1} of the steps.</source>
   <translation>max_num_batched_tokens {0} 在 {1} 的步中使请求等待。</translation>
  </message>
  <message>
   <source>{0} {1}: whether it was reached can't be seen from here.</source>
   <translation>{0} {1}：从此处看不出是否达到。</translation>
  </message>
  <message>
   <source>{0} {1} was reached.</source>
   <translation>{0} {1} 已达到。</translation>
  </message>
  <message>
   <source>{0} {1} was nearly reached (at most {2} seen).</source>
   <translation>{0} {1} 几乎达到（所见最高 {2}）。</translation>
  </message>
  <message>
   <source>, lowering it only below {0}</source>
   <translation>，降低也只在低于 {0} 时才有影响</translation>
  </message>
  <message>
   <source>{0} {1} was never reached (at most {2})</source>
   <translation>{0} {1} 从未达到（最高 {2}）</translation>
  </message>
  <message>
   <source>{0} {1} was never reached (at most {2}): raising it can't matter here, lowering it only below {3}.</source>
   <translation>{0} {1} 从未达到（最高 {2}）：提高它在此无关紧要，降低也只在低于 {3} 时才有影响。</translation>
  </message>
  <message>
   <source>{0} {1} was never reached (at most {2}): raising it can't matter here.</source>
   <translation>{0} {1} 从未达到（最高 {2}）：提高它在此无关紧要。</translation>
  </message>
  <message>
   <source>{0} of the time, {1}.</source>
   <translation>占时间的 {0}，{1}。</translation>
  </message>
  <message>
   <source>Too few samples of the server to say what limits it.</source>
   <translation>服务器的采样太少，无法说明受何限制。</translation>
  </message>
  <message>
   <source>The server doesn't tell what runs and waits: no limit can be named.</source>
   <translation>服务器不告知运行与等待：无法指出限制。</translation>
  </message>
  <message>
   <source>No limit was seen to bind, but the run is invalid: nothing follows from it.</source>
   <translation>未见任何限制起作用，但该运行无效：由此得不出结论。</translation>
  </message>
  <message>
   <source>No limit bound: the server kept up.</source>
   <translation>未受限制：服务器跟得上。</translation>
  </message>
  <message>
   <source>Mostly no limit bound; {0} for {1} ({2}).</source>
   <translation>大部分时间未受限制；{0} 占 {1}（{2}）。</translation>
  </message>
  <message>
   <source>Bound by: {0}, {1} of the time ({2}).</source>
   <translation>受限于：{0}，占时间的 {1}（{2}）。</translation>
  </message>
  <message>
   <source>a higher rate: at this one no limit was reached.</source>
   <translation>更高的速率：在此速率下没有达到任何限制。</translation>
  </message>
  <message>
   <source>TTFT, waiting</source>
   <translation>TTFT、等待数</translation>
  </message>
  <message>
   <source>record every step of the scheduler: it tells what the requests waited for.</source>
   <translation>记录调度器的每一步：它说明请求在等什么。</translation>
  </message>
  <message>
   <source>queue time</source>
   <translation>排队时间</translation>
  </message>
  <message>
   <source>No limit held for long, yet requests queued: queue time p95 {0}, TTFT p95 {1}.</source>
   <translation>没有限制持续很久，但请求排过队：排队时间 p95 {0}，TTFT p95 {1}。</translation>
  </message>
  <message>
   <source>Not seen: KV use (missing, or always 0 while requests ran).</source>
   <translation>未见：KV 使用率（缺失，或有请求运行时始终为 0）。</translation>
  </message>
  <message>
   <source>Not seen: preemptions.</source>
   <translation>未见：抢占。</translation>
  </message>
  <message>
   <source>Not seen: running and waiting.</source>
   <translation>未见：运行数与等待数。</translation>
  </message>
  <message>
   <source>Not known: max_num_seqs.</source>
   <translation>未知：max_num_seqs。</translation>
  </message>
  <message>
   <source>Not seen: single requests, so neither client nor front end.</source>
   <translation>未见：单个请求，因此看不到客户端与前端。</translation>
  </message>
  <message>
   <source>Not seen: anything of the server.</source>
   <translation>未见：服务器的任何信息。</translation>
  </message>
  <message>
   <source>power cap</source>
   <translation>功率上限</translation>
  </message>
  <message>
   <source>{0}: {1} of {2} looks.</source>
   <translation>{0}：{2} 次查看中有 {1} 次。</translation>
  </message>
  <message>
   <source>SM clock {0} to {1} MHz.</source>
   <translation>SM 时钟 {0} 至 {1} MHz。</translation>
  </message>
  <message>
   <source>The GPU's clocks were held back by its power limit: figures hold for this limit.</source>
   <translation>GPU 的时钟受功率限制压低：数字只对此限制有效。</translation>
  </message>
  <message>
   <source>compare at the same power limit only.</source>
   <translation>只在相同的功率限制下比较。</translation>
  </message>
  <message>
   <source>power, SM clock</source>
   <translation>功率、SM 时钟</translation>
  </message>
  <message>
   <source>The GPU's clocks were throttled: figures hold for this cooling and this moment only.</source>
   <translation>GPU 的时钟被降频：数字只对此散热条件与此时有效。</translation>
  </message>
  <message>
   <source>cool the card or free it from its neighbours, and repeat the run.</source>
   <translation>给显卡降温或使其远离邻卡，然后重复运行。</translation>
  </message>
  <message>
   <source>SM clock</source>
   <translation>SM 时钟</translation>
  </message>
  <message>
   <source>Long prompts make answers stutter: {0} paused for up to {1} while one was read.</source>
   <translation>长提示使回答断断续续：读取其中一个时，{0} 停顿最长达 {1}。</translation>
  </message>
  <message>
   <source>Prompts of {0} tokens and more: {1}.</source>
   <translation>{0} token 及以上的提示：{1}。</translation>
  </message>
  <message>
   <source>A counter of the server shrank: it was restarted during the run; the run is not valid.</source>
   <translation>服务器的计数变小：它在运行期间重启过；该运行无效。</translation>
  </message>
  <message>
   <source>repeat the run.</source>
   <translation>重复该运行。</translation>
  </message>
  <message>
   <source>client delay p99 {0} &gt; {1}</source>
   <translation>客户端延迟 p99 {0} &gt; {1}</translation>
  </message>
  <message>
   <source>Client-bound: {0}; the run is not valid.</source>
   <translation>受客户端所限：{0}；该运行无效。</translation>
  </message>
  <message>
   <source>client delay</source>
   <translation>客户端延迟</translation>
  </message>
  <message>
   <source>time scale 1, or a quieter machine.</source>
   <translation>时间倍率 1，或更空闲的机器。</translation>
  </message>
  <message>
   <source>a quieter machine, or the load from another one: this one's cores are {0} busy.</source>
   <translation>更空闲的机器，或从另一台机器产生负载：本机的核已忙 {0}。</translation>
  </message>
  <message>
   <source>more load workers, or a quieter machine for them.</source>
   <translation>更多负载进程，或为其准备更空闲的机器。</translation>
  </message>
  <message>
   <source>Preemptions lie ahead: the KV cache is full in about {0} at this pace.</source>
   <translation>抢占将至：照此速度，KV 缓存约在 {0} 后占满。</translation>
  </message>
  <message>
   <source>KV {0} → {1} in {2}, none waits.</source>
   <translation>KV {0} → {1}，历时 {2}，无一等待。</translation>
  </message>
  <message>
   <source>The server's own TTFT can't be right: {0} µs on average; the client's is used.</source>
   <translation>服务器自报的 TTFT 不可能正确：平均 {0} µs；改用客户端的。</translation>
  </message>
  <message>
   <source>Queue time's p95 is {0} or more: the server's histogram doesn't tell beyond.</source>
   <translation>排队时间的 p95 为 {0} 或更长：服务器的直方图不告知更高的值。</translation>
  </message>
  <message>
   <source>start the server with --enable-per-request-metrics: each answer then tells its own queue time.</source>
   <translation>以 --enable-per-request-metrics 启动服务器：每个回答便会告知自己的排队时间。</translation>
  </message>
  <message>
   <source>First tokens take {0} (p95), but only {1} of it in the queue.</source>
   <translation>首个 token 需 {0}（p95），而其中只有 {1} 在队列中。</translation>
  </message>
  <message>
   <source>compare TTFT of short and long prompts.</source>
   <translation>比较短提示与长提示的 TTFT。</translation>
  </message>
  <message>
   <source>TTFT by class</source>
   <translation>各类别的 TTFT</translation>
  </message>
  <message>
   <source>What is left: prefill, the front end, the network.</source>
   <translation>余下的是：预填充、前端、网络。</translation>
  </message>
  <message>
   <source>Offered {0} requests/s, completed {1}.</source>
   <translation>所给 {0} 请求/s，完成 {1}。</translation>
  </message>
  <message>
   <source>The queue never settles: TTFT grows as long as the run lasts, so its percentiles depend on it.</source>
   <translation>队列始终不稳定：运行多久 TTFT 就增长多久，因此其百分位取决于运行长度。</translation>
  </message>
  <message>
   <source>measure at a lower rate too.</source>
   <translation>也在更低的速率下测量。</translation>
  </message>
  <message>
   <source>TTFT over time</source>
   <translation>随时间变化的 TTFT</translation>
  </message>
  <message>
   <source>a counter shrank</source>
   <translation>有计数变小</translation>
  </message>
  <message>
   <source>definitions, validity</source>
   <translation>定义，有效性</translation>
  </message>
  <message>
   <source>client delay p99 above its bound</source>
   <translation>客户端延迟 p99 高于其上限</translation>
  </message>
  <message>
   <source>clocks held back in a twentieth of the looks</source>
   <translation>二十分之一的查看中时钟受压低</translation>
  </message>
  <message>
   <source>NVML, clocks-event reasons</source>
   <translation>NVML，时钟事件原因</translation>
  </message>
  <message>
   <source>TTFT drifts up and waiting grows</source>
   <translation>TTFT 向上漂移且等待数增长</translation>
  </message>
  <message>
   <source>definitions, divergence</source>
   <translation>定义，发散</translation>
  </message>
  <message>
   <source>three streams pause while one long prompt is read</source>
   <translation>读取一个长提示期间有三个流停顿</translation>
  </message>
  <message>
   <source>the KV cache fills within 300 s, none waits</source>
   <translation>KV 缓存将在 300 s 内占满，无一等待</translation>
  </message>
  <message>
   <source>the server's mean TTFT is below 1 ms, or queue time's p95 in the last bucket</source>
   <translation>服务器的平均 TTFT 低于 1 ms，或排队时间的 p95 落在最后一个桶</translation>
  </message>
  <message>
   <source>TTFT p95 large, queue time below a fifth of it</source>
   <translation>TTFT p95 很大，而排队时间不到其五分之一</translation>
  </message>
  <message>
   <source>{0} ({1}) {2} GiB</source>
   <translation>{0} ({1}) {2} GiB</translation>
  </message>
  <message>
   <source>a process of somebody else</source>
   <translation>他人的进程</translation>
  </message>
  <message>
   <source> {0} GiB</source>
   <translation> {0} GiB</translation>
  </message>
  <message>
   <source>, or set gpu_memory_utilization to {0} at most</source>
   <translation>，或将 gpu_memory_utilization 设为最多 {0}</translation>
  </message>
  <message>
   <source>GPU {0} ({1}) has {2} of {3} GiB free, and gpu_memory_utilization {4} wants {5}: vLLM won't start there.</source>
   <translation>GPU {0}（{1}）的 {3} GiB 中空闲 {2}，而 gpu_memory_utilization {4} 需要 {5}：vLLM 在那里不会启动。</translation>
  </message>
  <message>
   <source>Held by {0}.</source>
   <translation>被 {0} 占用。</translation>
  </message>
  <message>
   <source>Its driver doesn't tell from here who holds the rest.</source>
   <translation>从此处看，其驱动不告知其余被谁占用。</translation>
  </message>
  <message>
   <source>end what isn't needed there, or set gpu_memory_utilization to {0} at most.</source>
   <translation>结束那里不需要的程序，或将 gpu_memory_utilization 设为最多 {0}。</translation>
  </message>
  <message>
   <source>end what isn't needed there.</source>
   <translation>结束那里不需要的程序。</translation>
  </message>
  <message>
   <source>free memory before the start</source>
   <translation>启动前的空闲显存</translation>
  </message>
  <message>
   <source>{0} from {1} s</source>
   <translation>{0} 自 {1} s 起</translation>
  </message>
  <message>
   <source>{0} was changed while the run went on: {1}.</source>
   <translation>运行期间更改了 {0}：{1}。</translation>
  </message>
  <message>
   <source>not measured yet</source>
   <translation>尚未测量</translation>
  </message>
  <message>
   <source>Simulated: to be confirmed on the real GPU.</source>
   <translation>模拟：须在真实 GPU 上确认。</translation>
  </message>
  <message>
   <source>Does the highest traffic meet the targets for first token and end to end?</source>
   <translation>最高流量下，首个 token 与端到端是否满足目标？</translation>
  </message>
  <message>
   <source>No valid run at the expected rate.</source>
   <translation>在预期速率下没有有效的运行。</translation>
  </message>
  <message>
   <source>No targets are set: give [objectives] ttft_p95_ms and e2e_p95_ms.</source>
   <translation>未设目标：请给出 [objectives] ttft_p95_ms 与 e2e_p95_ms。</translation>
  </message>
  <message>
   <source>Too few requests for a p95 of {0}.</source>
   <translation>请求太少，得不出 {0} 的 p95。</translation>
  </message>
  <message>
   <source>{0} p95 {1} of the allowed {2}</source>
   <translation>{0} p95 {1}，目标 {2}</translation>
  </message>
  <message>
   <source> No target is set for {0}.</source>
   <translation> 没有为 {0} 设目标。</translation>
  </message>
  <message>
   <source>At {0} requests/s: {1}. No target is set for {2}.</source>
   <translation>{0} 请求/s 时：{1}。没有为 {2} 设目标。</translation>
  </message>
  <message>
   <source>At {0} requests/s: {1}.</source>
   <translation>{0} 请求/s 时：{1}。</translation>
  </message>
  <message>
   <source>Does a burst above the normal rate meet a bounded queue?</source>
   <translation>高于正常速率的突发是否遇到有界队列？</translation>
  </message>
  <message>
   <source>No run with bursts or beyond the normal rate.</source>
   <translation>没有带突发或超过正常速率的运行。</translation>
  </message>
  <message>
   <source>, up to {0} waited</source>
   <translation>，最多 {0} 个等待</translation>
  </message>
  <message>
   <source>{0} were rejected{1}.</source>
   <translation>{0} 被拒绝{1}。</translation>
  </message>
  <message>
   <source>Nothing was rejected and the queue grew without end{0}.</source>
   <translation>无一被拒绝，队列无止境地增长{0}。</translation>
  </message>
  <message>
   <source>The queue settled without rejections{0}.</source>
   <translation>队列无需拒绝即趋于稳定{0}。</translation>
  </message>
  <message>
   <source>, TTFT p95 {0}</source>
   <translation>，TTFT p95 {0}</translation>
  </message>
  <message>
   <source> ({0} at the normal rate)</source>
   <translation>（正常速率下 {0}）</translation>
  </message>
  <message>
   <source>, which misses {0}</source>
   <translation>，未达到 {0}</translation>
  </message>
  <message>
   <source>, which meets {0}</source>
   <translation>，达到 {0}</translation>
  </message>
  <message>
   <source>Are preemptions and KV use stable at the expected context length?</source>
   <translation>在预期的上下文长度下，抢占与 KV 使用率是否稳定？</translation>
  </message>
  <message>
   <source>No valid run of {0} minutes or more at the expected rate.</source>
   <translation>在预期速率下没有 {0} 分钟以上的有效运行。</translation>
  </message>
  <message>
   <source>The server doesn't tell preemptions or KV use.</source>
   <translation>服务器不告知抢占或 KV 使用率。</translation>
  </message>
  <message>
   <source>{0} preemptions ({1} a minute), KV peak {2}</source>
   <translation>{0} 次抢占（每分钟 {1} 次），KV 峰值 {2}</translation>
  </message>
  <message>
   <source>{0} preemptions ({1} a minute), KV peak {2}: {3}.</source>
   <translation>{0} 次抢占（每分钟 {1} 次），KV 峰值 {2}：{3}。</translation>
  </message>
  <message>
   <source>{0} preemptions ({1} a minute), KV peak {2}.</source>
   <translation>{0} 次抢占（每分钟 {1} 次），KV 峰值 {2}。</translation>
  </message>
  <message>
   <source>Can the result be reproduced on the exact model revision and GPU?</source>
   <translation>结果能否在完全相同的模型版本与 GPU 上复现？</translation>
  </message>
  <message>
   <source>Only simulated runs: the embedded engine is no evidence for a GPU.</source>
   <translation>只有模拟的运行：内置引擎不能为 GPU 作证。</translation>
  </message>
  <message>
   <source>No configuration was run {0} times.</source>
   <translation>没有配置运行过 {0} 次。</translation>
  </message>
  <message>
   <source>Model revision or GPU isn't recorded with the repeated runs.</source>
   <translation>重复的运行没有记录模型版本或 GPU。</translation>
  </message>
  <message>
   <source>The spread over repeats isn't known.</source>
   <translation>各次重复之间的离散度未知。</translation>
  </message>
  <message>
   <source>Spread over repeats: {0}.</source>
   <translation>各次重复之间的离散度：{0}。</translation>
  </message>
  <message>
   <source>Is the cost of an accepted response, retries and idle time included, below the alternative's?</source>
   <translation>计入重试与空闲时间，每个合格响应的成本是否低于其他方案？</translation>
  </message>
  <message>
   <source>No run that holds has a price: give [cost] in the experiment, or compare systems by your offers.</source>
   <translation>没有站得住的运行标有价格：请在实验中给出 [cost]，或按您的报价比较系统。</translation>
  </message>
  <message>
   <source>Prices are in different currencies.</source>
   <translation>各价格的货币不同。</translation>
  </message>
  <message>
   <source>Only one system has a price: measure the alternative with the same trace.</source>
   <translation>只有一个系统有价格：请用同一轨迹测量其他方案。</translation>
  </message>
  <message>
   <source>{0} {1} {2} per 1,000, {3} {4}</source>
   <translation>{0} 每 1,000 个 {1} {2}，{3} {4}</translation>
  </message>
  <message>
   <source>No demand is stated, so idle time isn't counted; while busy: {0} {1} {2} per 1,000, {3} {4}.</source>
   <translation>没有说明需求，因此不计空闲时间；忙时：{0} 每 1,000 个 {1} {2}，{3} {4}。</translation>
  </message>
  <message>
   <source>{0} {1} {2} per 1,000, {3} {4}.</source>
   <translation>{0} 每 1,000 个 {1} {2}，{3} {4}。</translation>
  </message>
  <message>
   <source>{0}: {1} TB/s, {2} TFLOPS</source>
   <translation>{0}：{1} TB/s，{2} TFLOPS</translation>
  </message>
  <message>
   <source>Impossible: {0} ms a token, but reading the weights once takes {1} ms ({2}); fewer bits, another card or several tokens a step?</source>
   <translation>不可能：每个 token {0} ms，但读取一遍权重就需 {1} ms（{2}）；是否位数更少、换了显卡或一步多个 token？</translation>
  </message>
  <message>
   <source>Impossible: {0} tokens/s, but the card can compute {1} ({2}).</source>
   <translation>不可能：{0} token/s，而显卡只能算 {1}（{2}）。</translation>
  </message>
  <message>
   <source>Impossible: {0}{1} {2} {3} is above {4} {5}.</source>
   <translation>不可能：{0}{1} {2} {3} 高于 {4} {5}。</translation>
  </message>
  <message>
   <source>Impossible: {0}{1} {2} is negative ({3}).</source>
   <translation>不可能：{0}{1} {2} 为负（{3}）。</translation>
  </message>
  <message>
   <source>Impossible: {0}{1} {2} is not between 0 and 1.</source>
   <translation>不可能：{0}{1} {2} 不在 0 与 1 之间。</translation>
  </message>
  <message>
   <source>Impossible: {0} requests scheduled, {1} outcomes.</source>
   <translation>不可能：计划了 {0} 个请求，却有 {1} 个结局。</translation>
  </message>
  <message>
   <source>Impossible: {0} tokens received, the server generated {1}.</source>
   <translation>不可能：收到 {0} 个 token，服务器生成了 {1} 个。</translation>
  </message>
  <message>
   <source>the load needs input and output tokens above 0 and a cached share below 1</source>
   <translation>负载的输入与输出 token 须大于 0，缓存份额须小于 1</translation>
  </message>
  <message>
   <source>one request holds {0} tokens, the KV pool {1}</source>
   <translation>一个请求占 {0} 个 token，KV 缓存池为 {1}</translation>
  </message>
  <message>
   <source>Saturates at about {0} requests/s ({1} to {2}), by the {3}.</source>
   <translation>约在 {0} 请求/s 时饱和（{1} 至 {2}），受{3}所限。</translation>
  </message>
  <message>
   <source>Next: {0}.</source>
   <translation>其次：{0}。</translation>
  </message>
  <message>
   <source>From {0}: {1}.</source>
   <translation>来自 {0}：{1}。</translation>
  </message>
  <message>
   <source>Nobody has compared this profile with a measurement.</source>
   <translation>尚无人将此画像与测量作过比较。</translation>
  </message>
  <message>
   <source>{0}: hidden_size {1} is no multiple of num_attention_heads {2} and head_dim isn't given</source>
   <translation>{0}：hidden_size {1} 不是 num_attention_heads {2} 的倍数，且没有给出 head_dim</translation>
  </message>
  <message>
   <source>modelopt {0}</source>
   <translation>modelopt {0}</translation>
  </message>
  <message>
   <source>{0}: can't be read: {1}</source>
   <translation>{0}：无法读取：{1}</translation>
  </message>
  <message>
   <source>{0}: not a safetensors index, which is JSON; load the model anew</source>
   <translation>{0}：不是 safetensors 索引（应为 JSON）；请重新下载模型</translation>
  </message>
  <message>
   <source>{0}: not a whole safetensors file; load the model anew</source>
   <translation>{0}：safetensors 文件不完整；请重新下载模型</translation>
  </message>
  <message>
   <source>{0}: {1} is missing; without it nothing can be sized</source>
   <translation>{0}：缺少 {1}；没有它无法估算</translation>
  </message>
  <message>
   <source>{0}: {1} must be a whole number of at least {2}, not {3}</source>
   <translation>{0}：{1} 必须是不小于 {2} 的整数，不能是 {3}</translation>
  </message>
  <message>
   <source>{0}: {1} must be at most {2}</source>
   <translation>{0}：{1} 最多为 {2}</translation>
  </message>
  <message>
   <source>{0}: {1} must list whole numbers above 0, not {2}</source>
   <translation>{0}：{1} 必须列出大于 0 的整数，不能是 {2}</translation>
  </message>
  <message>
   <source>{0}: hybrid_override_pattern is of {1} layers, num_hidden_layers is {2}</source>
   <translation>{0}：hybrid_override_pattern 有 {1} 层，num_hidden_layers 为 {2}</translation>
  </message>
  <message>
   <source>no model: give --config with a config.json or its folder</source>
   <translation>没有模型：请用 --config 给出 config.json 或其文件夹</translation>
  </message>
  <message>
   <source>{0}: rope_scaling factor must be above 0 and at most {1}, not {2}</source>
   <translation>{0}：rope_scaling factor 必须大于 0 且不超过 {1}，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}: not JSON: it is not UTF-8 text; a model's config.json is wanted</source>
   <translation>{0}：不是 JSON：不是 UTF-8 文本；需要模型的 config.json</translation>
  </message>
  <message>
   <source>{0}: is empty; a model's config.json is wanted</source>
   <translation>{0}：是空的；需要模型的 config.json</translation>
  </message>
  <message>
   <source>line {0}, column {1}</source>
   <translation>第 {0} 行第 {1} 列</translation>
  </message>
  <message>
   <source>{0}: not JSON at line {1}, column {2}: {3}</source>
   <translation>{0}：第 {1} 行第 {2} 列不是 JSON：{3}</translation>
  </message>
  <message>
   <source>{0}: not a model's config.json: nested too deep</source>
   <translation>{0}：不是模型的 config.json：嵌套太深</translation>
  </message>
  <message>
   <source>{0}: not a model's config.json: a number in it is too long</source>
   <translation>{0}：不是模型的 config.json：其中有数字过长</translation>
  </message>
  <message>
   <source>{0}: holds no JSON object; a model's config.json is one</source>
   <translation>{0}：不含 JSON 对象；模型的 config.json 应是一个对象</translation>
  </message>
  <message>
   <source>--{0} must be at least 1, not {1}</source>
   <translation>--{0} 至少为 1，不能是 {1}</translation>
  </message>
  <message>
   <source>--{0} must be at most {1}</source>
   <translation>--{0} 最多为 {1}</translation>
  </message>
  <message>
   <source>--{0} must be a size in GiB above 0, not {1}</source>
   <translation>--{0} 必须是大于 0 的 GiB 数，不能是 {1}</translation>
  </message>
  <message>
   <source>--gpu-memory-utilization must be above 0 and at most 1, not {0}</source>
   <translation>--gpu-memory-utilization 必须大于 0 且不超过 1，不能是 {0}</translation>
  </message>
  <message>
   <source>--tp {0} times --pp {1} needs {2} GPUs; --count is {3}</source>
   <translation>--tp {0} 乘 --pp {1} 需要 {2} 个 GPU；--count 为 {3}</translation>
  </message>
  <message>
   <source>--tp {0} doesn't divide the model's {1} attention heads; possible are {2}</source>
   <translation>--tp {0} 不能整除模型的 {1} 个注意力头；可用 {2}</translation>
  </message>
  <message>
   <source>--tp {0} is no multiple of the model's {1} KV heads; possible are {2}</source>
   <translation>--tp {0} 不是模型 {1} 个 KV 头的倍数；可用 {2}</translation>
  </message>
  <message>
   <source>--tp {0} doesn't divide the model's {1} KV heads; possible are {2}</source>
   <translation>--tp {0} 不能整除模型的 {1} 个 KV 头；可用 {2}</translation>
  </message>
  <message>
   <source>--pp {0} is more than the model's {1} layers</source>
   <translation>--pp {0} 多于模型的 {1} 层</translation>
  </message>
  <message>
   <source>--dtype must be one of auto, {0}, not {1}</source>
   <translation>--dtype 必须是 auto、{0} 之一，不能是 {1}</translation>
  </message>
  <message>
   <source>--kv-cache-dtype must be one of auto, {0}, not {1}</source>
   <translation>--kv-cache-dtype 必须是 auto、{0} 之一，不能是 {1}</translation>
  </message>
  <message>
   <source>{0}: several offers are called {1}: give each a name of its own</source>
   <translation>{0}：有多个报价名为 {1}：请为每个报价取不同的名称</translation>
  </message>
  <message>
   <source>{0}: offer {1}: {2} and {3} are one: give either</source>
   <translation>{0}：报价 {1}：{2} 与 {3} 是同一项：请只给其一</translation>
  </message>
  <message>
   <source>{0}: offer {1}: a purchase has a price and no per_hour</source>
   <translation>{0}：报价 {1}：购买有 price，没有 per_hour</translation>
  </message>
  <message>
   <source>offer: write each as [[offer]] with its fields below it ({0})</source>
   <translation>offer：请把每个报价写成 [[offer]]，字段写在其下（{0}）</translation>
  </message>
  <message>
   <source>offer number {0}: must be a table, [[offer]] with its fields below, not {1}</source>
   <translation>第 {0} 个报价：必须是表，即 [[offer]] 及其下的字段，而不是 {1}</translation>
  </message>
  <message>
   <source>number {0}</source>
   <translation>第 {0} 个</translation>
  </message>
  <message>
   <source>offer {0}: missing {1}</source>
   <translation>报价 {0}：缺少 {1}</translation>
  </message>
  <message>
   <source>: a price without a date can't be compared</source>
   <translation>：没有日期的价格无法比较</translation>
  </message>
  <message>
   <source>: write a date such as 2026-11-01, without quotes</source>
   <translation>：请写成 2026-11-01 这样的日期，不加引号</translation>
  </message>
  <message>
   <source>offer {0}: {1}: {2}{3}</source>
   <translation>报价 {0}：{1}：{2}{3}</translation>
  </message>
  <message>
   <source>offer {0}: {1}{2}</source>
   <translation>报价 {0}：{1}{2}</translation>
  </message>
  <message>
   <source>{0}: offer {1}</source>
   <translation>{0}：报价 {1}</translation>
  </message>
  <message>
   <source>offer {0}</source>
   <translation>报价 {0}</translation>
  </message>
  <message>
   <source>{0}: offer {1}: price must be above 0 and at most {2}, not {3}</source>
   <translation>{0}：报价 {1}：price 必须大于 0 且不超过 {2}，不能是 {3}</translation>
  </message>
  <message>
   <source>offer {0}: price must be above 0 and at most {1}, not {2}</source>
   <translation>报价 {0}：price 必须大于 0 且不超过 {1}，不能是 {2}</translation>
  </message>
  <message>
   <source>{0}: offer {1}: a purchase needs amortisation_months, the time over which it is paid off</source>
   <translation>{0}：报价 {1}：购买需要 amortisation_months，即摊销的月数</translation>
  </message>
  <message>
   <source>offer {0}: a purchase needs amortisation_months, the time over which it is paid off</source>
   <translation>报价 {0}：购买需要 amortisation_months，即摊销的月数</translation>
  </message>
  <message>
   <source>{0}: offer {1}: gpu: {2}</source>
   <translation>{0}：报价 {1}：gpu：{2}</translation>
  </message>
  <message>
   <source>offer {0}: gpu: {1}</source>
   <translation>报价 {0}：gpu：{1}</translation>
  </message>
  <message>
   <source>{0}: {1} holds control characters: {2}; leave them out</source>
   <translation>{0}：{1} 含有控制字符：{2}；请去掉</translation>
  </message>
  <message>
   <source>{0}: currency must be three capital letters such as EUR, not {1}</source>
   <translation>{0}：currency 必须是三个大写字母，例如 EUR，不能是 {1}</translation>
  </message>
  <message>
   <source>{0}: name is empty: say what the offer is called</source>
   <translation>{0}：name 为空：请写明报价的名称</translation>
  </message>
  <message>
   <source>{0}: source is empty: say who said the price</source>
   <translation>{0}：source 为空：请写明由谁报价</translation>
  </message>
  <message>
   <source>{0}: the offer expired on {1}.</source>
   <translation>{0}：报价已于 {1} 失效。</translation>
  </message>
  <message>
   <source>{0}: {1} {2} is in the future (today is {3}): check it.</source>
   <translation>{0}：{1} {2} 在将来（今天是 {3}）：请核对。</translation>
  </message>
  <message>
   <source>{0}: the price was last seen on {1}, {2} days ago.</source>
   <translation>{0}：价格最后一次见于 {1}，{2} 天前。</translation>
  </message>
  <message>
   <source>{0}: energy isn't counted: power_w and tariff_per_kwh are needed.</source>
   <translation>{0}：未计电费：需要 power_w 和 tariff_per_kwh。</translation>
  </message>
  <message>
   <source>{0}: a spot price can change, and the system can be taken away.</source>
   <translation>{0}：竞价可能变动，系统也可能被收回。</translation>
  </message>
  <message>
   <source>could cost less than {0}: with price, rate and demand a tenth better or worse the order can change</source>
   <translation>可能比 {0} 便宜：价格、速率和需求各好或差十分之一时，顺序会变</translation>
  </message>
  <message>
   <source>model revisions</source>
   <translation>模型修订版</translation>
  </message>
  <message>
   <source>{0} and {1} ran different {2}: {3} and {4}</source>
   <translation>{0} 与 {1} 的{2}不同：{3} 与 {4}</translation>
  </message>
  <message>
   <source>{0} was tuned with {1} runs and {2} with {3}; give each the same budget</source>
   <translation>{0} 用了 {1} 次运行调优，{2} 用了 {3} 次；请给以相同的次数</translation>
  </message>
  <message>
   <source>offers in {0} can't be compared; convert them first</source>
   <translation>货币为 {0} 的报价无法比较；请先换算</translation>
  </message>
  <message>
   <source>what-if: {0}</source>
   <translation>假设：{0}</translation>
  </message>
  <message>
   <source>meets the objectives at no rate</source>
   <translation>任何速率下都达不到目标</translation>
  </message>
  <message>
   <source>no offer, so no cost</source>
   <translation>没有报价，因此没有成本</translation>
  </message>
  <message>
   <source>untuned, with the shared flags: {0} accepted/s</source>
   <translation>未调优、用共同参数时：{0} 个合格请求/s</translation>
  </message>
  <message>
   <source>no row with shared flags: {0}</source>
   <translation>没有用共同参数的一行：{0}</translation>
  </message>
  <message>
   <source>1 server is</source>
   <translation>1 台服务器</translation>
  </message>
  <message>
   <source>{0} servers are</source>
   <translation>{0} 台服务器</translation>
  </message>
  <message>
   <source>as many</source>
   <translation>同样多</translation>
  </message>
  <message>
   <source>capacity not found: no higher rate was tested, so 1 server is an upper bound and the order of the systems can change; test higher rates</source>
   <translation>未找到容量：没有测试更高的速率，因此 1 台服务器是上限，系统的次序可能改变；请测试更高的速率</translation>
  </message>
  <message>
   <source>capacity not found: no higher rate was tested, so {0} servers are an upper bound and the order of the systems can change; test higher rates</source>
   <translation>未找到容量：没有测试更高的速率，因此 {0} 台服务器是上限，系统的次序可能改变；请测试更高的速率</translation>
  </message>
  <message>
   <source>may hang</source>
   <translation>可能挂起</translation>
  </message>
  <message>
   <source>{0}: can't be written: {1}</source>
   <translation>{0}：无法写入：{1}</translation>
  </message>
  <message>
   <source>{0}: there is a file where a folder is needed</source>
   <translation>{0}：需要文件夹之处是一个文件</translation>
  </message>
  <message>
   <source>{0}: not a folder that can be written to: {1}</source>
   <translation>{0}：不是可写入的文件夹：{1}</translation>
  </message>
  <message>
   <source>{0}: is a folder; name a file in it</source>
   <translation>{0}：是文件夹；请指定其中的文件</translation>
  </message>
  <message>
   <source>this installation lacks its resource {0}; install it again</source>
   <translation>此安装缺少资源 {0}；请重新安装</translation>
  </message>
  <message>
   <source>certificates {0}: no certificate in PEM form in it</source>
   <translation>证书 {0}：其中没有 PEM 格式的证书</translation>
  </message>
  <message>
   <source>certificates {0}: {1}</source>
   <translation>证书 {0}：{1}</translation>
  </message>
  <message>
   <source>pip install 'vllm-workbench[gpu]', in a checkout pip install -e '.[gpu]'</source>
   <translation>pip install 'vllm-workbench[gpu]'，在源码检出中为 pip install -e '.[gpu]'</translation>
  </message>
  <message>
   <source>vLLM {0}: {1}</source>
   <translation>vLLM {0}：{1}</translation>
  </message>
  <message>
   <source>remove the script or repair its Python</source>
   <translation>删除该脚本，或修复其 Python</translation>
  </message>
  <message>
   <source>none on PATH and none in this Python; the embedded engine needs none</source>
   <translation>PATH 中没有，此 Python 中也没有；内置引擎不需要</translation>
  </message>
  <message>
   <source>for a real server: install vLLM in an environment of its own and name it with "executable"</source>
   <translation>要用真实服务器：把 vLLM 装在自己的环境中，并用 "executable" 指定</translation>
  </message>
  <message>
   <source>the GPU's driver doesn't answer within {0} s</source>
   <translation>GPU 的驱动在 {0} s 内没有回答</translation>
  </message>
  <message>
   <source>see what dmesg says of it (Xid); resetting the card or restarting the machine helps</source>
   <translation>请看 dmesg 对它的说明（Xid）；重置显卡或重启机器可解决</translation>
  </message>
  <message>
   <source>{0}: GPUs are looked at through nvidia-smi, which costs more</source>
   <translation>{0}：改用 nvidia-smi 查看 GPU，开销更大</translation>
  </message>
  <message>
   <source>no GPU found; that is normal: the embedded engine needs none</source>
   <translation>未找到 GPU；这很正常：内置引擎不需要</translation>
  </message>
  <message>
   <source>cannot tell whether there is a GPU: {0}</source>
   <translation>无法判断是否有 GPU：{0}</translation>
  </message>
  <message>
   <source>see whether nvidia-smi works</source>
   <translation>看 nvidia-smi 是否可用</translation>
  </message>
  <message>
   <source>driver {0}, </source>
   <translation>驱动 {0}，</translation>
  </message>
  <message>
   <source>{0}: {1}, driver {2}, {3}</source>
   <translation>{0}：{1}，驱动 {2}，{3}</translation>
  </message>
  <message>
   <source>a server's gpu_memory_utilization counts on free memory: end what isn't needed, or lower it</source>
   <translation>服务器的 gpu_memory_utilization 要用空闲显存：请结束不需要的程序，或降低它</translation>
  </message>
  <message>
   <source>{0}: {1}, {2} by {3}</source>
   <translation>{0}：{1}，{2}，占用者 {3}</translation>
  </message>
  <message>
   <source>{0}: {1}, driver {2}, {3} by {4}</source>
   <translation>{0}：{1}，驱动 {2}，{3}，占用者 {4}</translation>
  </message>
  <message>
   <source>which doesn't tell its memory</source>
   <translation>不告知其显存</translation>
  </message>
  <message>
   <source>{0} of {1} GiB used</source>
   <translation>{1} GiB 中已用 {0}</translation>
  </message>
  <message>
   <source>another user's process</source>
   <translation>其他用户的进程</translation>
  </message>
  <message>
   <source>neither docker nor podman; only a server in a container needs one</source>
   <translation>没有 docker 也没有 podman；只有容器中的服务器才需要</translation>
  </message>
  <message>
   <source>SELinux is enforcing: a container may not read what is mounted without a label</source>
   <translation>SELinux 处于强制模式：容器不得读取未加标签的挂载内容</translation>
  </message>
  <message>
   <source>for servers in containers: security_opt = ["label=disable"] in [target]</source>
   <translation>对容器中的服务器：[target] 中设 security_opt = ["label=disable"]</translation>
  </message>
  <message>
   <source>it ended with {0}</source>
   <translation>它以 {0} 结束</translation>
  </message>
  <message>
   <source>start its service, or see what `{0} info` says; only servers in containers need it</source>
   <translation>请启动其服务，或看 `{0} info` 的说明；只有容器中的服务器才需要</translation>
  </message>
  <message>
   <source>permission denied</source>
   <translation>没有权限</translation>
  </message>
  <message>
   <source>add this user to the group {0} and log in again, or use podman</source>
   <translation>将此用户加入组 {0} 并重新登录，或使用 podman</translation>
  </message>
  <message>
   <source>{0} doesn't work: {1}</source>
   <translation>{0} 不能工作：{1}</translation>
  </message>
  <message>
   <source>127.0.0.1 can be listened on</source>
   <translation>可在 127.0.0.1 上监听</translation>
  </message>
  <message>
   <source>see to the loopback interface: servers of ours listen there</source>
   <translation>请检查环回接口：我们的服务器在那里监听</translation>
  </message>
  <message>
   <source>127.0.0.1 can't be listened on: {0}</source>
   <translation>无法在 127.0.0.1 上监听：{0}</translation>
  </message>
  <message>
   <source>somebody listens on {0}, vLLM's usual port; servers of ours take free ones</source>
   <translation>有程序在 vLLM 的常用端口 {0} 上监听；我们的服务器取空闲端口</translation>
  </message>
  <message>
   <source>if that is to be measured: kind = "attached", url = "http://127.0.0.1:{0}"</source>
   <translation>若要测量它：kind = "attached"，url = "http://127.0.0.1:{0}"</translation>
  </message>
  <message>
   <source>at most {0} open files: fewer streams than that fit at once</source>
   <translation>最多打开 {0} 个文件：能同时进行的流少于此数</translation>
  </message>
  <message>
   <source>raise the hard limit of open files</source>
   <translation>提高打开文件数的硬限制</translation>
  </message>
  <message>
   <source>python -m workbench doctor --clean (the next local server ends them too)</source>
   <translation>python -m workbench doctor --clean（下一个本机服务器也会结束它们）</translation>
  </message>
  <message>
   <source>perhaps still there ({0}, {1}), its owner here has died: {2}</source>
   <translation>可能仍在那里（{0}，{1}），它在此处的所有者已终止：{2}</translation>
  </message>
  <message>
   <source>python -m workbench doctor --clean (the next server started there ends it too)</source>
   <translation>python -m workbench doctor --clean（在那里启动的下一个服务器也会结束它）</translation>
  </message>
  <message>
   <source>none of ours</source>
   <translation>没有我们的</translation>
  </message>
  <message>
   <source>importing it ended with {0}</source>
   <translation>导入它时以 {0} 结束</translation>
  </message>
  <message>
   <source>the window's libraries load</source>
   <translation>窗口的库可以加载</translation>
  </message>
  <message>
   <source>install the system package that has {0}, such as libegl1 or libgl1</source>
   <translation>请安装含 {0} 的系统软件包，如 libegl1 或 libgl1</translation>
  </message>
  <message>
   <source>pip install PySide6-Essentials; the command line works without</source>
   <translation>pip install PySide6-Essentials；命令行无需它也可用</translation>
  </message>
  <message>
   <source>{0}: keeps keys (doctor --keep-key NAME)</source>
   <translation>{0}：可保存密钥（doctor --keep-key NAME）</translation>
  </message>
  <message>
   <source>name environment variables with api_key_env, or install a keyring such as gnome-keyring</source>
   <translation>用 api_key_env 指定环境变量，或安装密钥环，如 gnome-keyring</translation>
  </message>
  <message>
   <source>no keyring of this system is usable: keys come from variables, or are asked for and not kept</source>
   <translation>本系统没有可用的密钥环：密钥取自变量，或询问而不保存</translation>
  </message>
  <message>
   <source>a slow clock: {0}, resolution {1} µs</source>
   <translation>时钟较慢：{0}，分辨率 {1} µs</translation>
  </message>
  <message>
   <source>unknown source</source>
   <translation>来源未知</translation>
  </message>
  <message>
   <source>choose tsc or the hypervisor's clock as clock source</source>
   <translation>请选 tsc 或虚拟机监控器的时钟作为时钟源</translation>
  </message>
  <message>
   <source>wake-ups come {0} ms late (median): this machine is busy</source>
   <translation>唤醒迟到 {0} ms（中位数）：本机正忙</translation>
  </message>
  <message>
   <source>requests are sent late by as much: end other work before measuring</source>
   <translation>请求会迟发同样多：测量前请结束其他工作</translation>
  </message>
  <message>
   <source>{0}; wake-ups come {1} ms late</source>
   <translation>{0}；唤醒迟到 {1} ms</translation>
  </message>
  <message>
   <source>make room for {0} there</source>
   <translation>请在那里为 {0} 腾出空间</translation>
  </message>
  <message>
   <source>{0}: {1} GiB free in {2}</source>
   <translation>{0}：{2} 中空闲 {1} GiB</translation>
  </message>
  <message>
   <source>make room: an hour's run takes some 100 MB</source>
   <translation>请腾出空间：一小时的运行约占 100 MB</translation>
  </message>
  <message>
   <source>{0} step records without a bench file, {1} MB in {2}</source>
   <translation>{0} 个没有基准文件的步记录，{2} 中共 {1} MB</translation>
  </message>
  <message>
   <source>delete them if nobody needs them</source>
   <translation>若无人需要，请删除</translation>
  </message>
  <message>
   <source>; did you mean {0}?</source>
   <translation>；是否想用 {0}？</translation>
  </message>
  <message>
   <source>; known are {0}</source>
   <translation>；已知的有 {0}</translation>
  </message>
  <message>
   <source>{0}: unknown control {1}; did you mean {2}?</source>
   <translation>{0}：未知的控制项 {1}；是否想用 {2}？</translation>
  </message>
  <message>
   <source>{0}: unknown control {1}; known are {2}</source>
   <translation>{0}：未知的控制项 {1}；已知的有 {2}</translation>
  </message>
  <message>
   <source>unknown control {0}; did you mean {1}?</source>
   <translation>未知的控制项 {0}；是否想用 {1}？</translation>
  </message>
  <message>
   <source>unknown control {0}; known are {1}</source>
   <translation>未知的控制项 {0}；已知的有 {1}</translation>
  </message>
  <message>
   <source>{0}{1} must be true or false, not {2}</source>
   <translation>{0}{1} 必须是 true 或 false，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}{1} must be one of {2}, not {3}</source>
   <translation>{0}{1} 必须是 {2} 之一，而不是 {3}</translation>
  </message>
  <message>
   <source>{0}{1} must be a number, not {2}</source>
   <translation>{0}{1} 必须是数字，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}{1} must be a whole number, not {2}</source>
   <translation>{0}{1} 必须是整数，而不是 {2}</translation>
  </message>
  <message>
   <source>at least {0}</source>
   <translation>至少为 {0}</translation>
  </message>
  <message>
   <source>between {0} and {1}</source>
   <translation>在 {0} 与 {1} 之间</translation>
  </message>
  <message>
   <source>{0}{1} must be at least {2}, not {3}</source>
   <translation>{0}{1} 必须不小于 {2}，而不是 {3}</translation>
  </message>
  <message>
   <source>{0}{1} must be between {2} and {3}, not {4}</source>
   <translation>{0}{1} 必须在 {2} 与 {3} 之间，而不是 {4}</translation>
  </message>
  <message>
   <source>a number of thousands of digits</source>
   <translation>上千位的数字</translation>
  </message>
  <message>
   <source>{0}: max_num_batched_tokens ({1}) must be at least max_num_seqs ({2}): each running sequence needs one token of a step</source>
   <translation>{0}：max_num_batched_tokens（{1}）必须不小于 max_num_seqs（{2}）：每个运行中的序列在一步中需要一个 token</translation>
  </message>
  <message>
   <source>max_num_batched_tokens ({0}) must be at least max_num_seqs ({1}): each running sequence needs one token of a step</source>
   <translation>max_num_batched_tokens（{0}）必须不小于 max_num_seqs（{1}）：每个运行中的序列在一步中需要一个 token</translation>
  </message>
  <message>
   <source>{0}: max_num_batched_tokens ({1}) must be at least max_model_len ({2}) without chunked prefill: a prompt must fit one step</source>
   <translation>{0}：不用分块预填充时，max_num_batched_tokens（{1}）必须不小于 max_model_len（{2}）：提示须放入一步</translation>
  </message>
  <message>
   <source>max_num_batched_tokens ({0}) must be at least max_model_len ({1}) without chunked prefill: a prompt must fit one step</source>
   <translation>不用分块预填充时，max_num_batched_tokens（{0}）必须不小于 max_model_len（{1}）：提示须放入一步</translation>
  </message>
  <message>
   <source>{0}: max_num_active_seqs ({1}) must not be above max_num_seqs ({2})</source>
   <translation>{0}：max_num_active_seqs（{1}）不得大于 max_num_seqs（{2}）</translation>
  </message>
  <message>
   <source>max_num_active_seqs ({0}) must not be above max_num_seqs ({1})</source>
   <translation>max_num_active_seqs（{0}）不得大于 max_num_seqs（{1}）</translation>
  </message>
  <message>
   <source>{0}: long_prefill_token_threshold ({1}) must not be above max_num_batched_tokens ({2}): it would never be reached</source>
   <translation>{0}：long_prefill_token_threshold（{1}）不得大于 max_num_batched_tokens（{2}）：否则永远达不到</translation>
  </message>
  <message>
   <source>long_prefill_token_threshold ({0}) must not be above max_num_batched_tokens ({1}): it would never be reached</source>
   <translation>long_prefill_token_threshold（{0}）不得大于 max_num_batched_tokens（{1}）：否则永远达不到</translation>
  </message>
  <message>
   <source>{0}: num_gpu_blocks_override ({1}) holds {2} tokens, less than one request of max_model_len ({3}) needs</source>
   <translation>{0}：num_gpu_blocks_override（{1}）容纳 {2} 个 token，少于 max_model_len（{3}）的一个请求所需</translation>
  </message>
  <message>
   <source>num_gpu_blocks_override ({0}) holds {1} tokens, less than one request of max_model_len ({2}) needs</source>
   <translation>num_gpu_blocks_override（{0}）容纳 {1} 个 token，少于 max_model_len（{2}）的一个请求所需</translation>
  </message>
  <message>
   <source>{0}mamba_block_size ({1}) must be a multiple of 8: its kernel needs that</source>
   <translation>{0}mamba_block_size（{1}）必须是 8 的倍数：其内核要求如此</translation>
  </message>
  <message>
   <source>{0}mamba_block_size ({1}) needs enable_prefix_caching</source>
   <translation>{0}mamba_block_size（{1}）需要 enable_prefix_caching</translation>
  </message>
  <message>
   <source>{0}mamba_cache_mode "align" needs enable_chunked_prefill</source>
   <translation>{0}mamba_cache_mode "align" 需要 enable_chunked_prefill</translation>
  </message>
  <message>
   <source>{0}mamba_cache_mode "align" and disable_chunked_mm_input exclude each other</source>
   <translation>{0}mamba_cache_mode "align" 与 disable_chunked_mm_input 互斥</translation>
  </message>
  <message>
   <source>{0}use_replayssm and kv_offloading_size exclude each other</source>
   <translation>{0}use_replayssm 与 kv_offloading_size 互斥</translation>
  </message>
  <message>
   <source>vLLM's own</source>
   <translation>vLLM 自己的</translation>
  </message>
  <message>
   <source>{0}: the model's revision isn't recorded</source>
   <translation>{0}：没有记录模型的版本</translation>
  </message>
  <message>
   <source>{0}: figures of {1} are by the definitions of the build that wrote them, not by this one's; without their requests they can't be computed anew</source>
   <translation>{0}：{1} 的数据按写入它们的版本的定义，而不是本版本的；没有其请求就无法重新计算</translation>
  </message>
  <message>
   <source>the systems share the flags that were asked for, and not their servers' own defaults: {0}</source>
   <translation>各系统共用所要求的参数，但其服务器自己的默认值不同：{0}</translation>
  </message>
  <message>
   <source>of unknown error</source>
   <translation>误差未知</translation>
  </message>
  <message>
   <source>known to be off by {0}</source>
   <translation>已知误差 {0}</translation>
  </message>
  <message>
   <source>simulated with {0}, of unknown error: no evidence for a GPU until it is measured on one</source>
   <translation>用 {0} 模拟，误差未知：在 GPU 上测量之前不能作为证据</translation>
  </message>
  <message>
   <source>simulated with {0}, known to be off by {1}: no evidence for a GPU until it is measured on one</source>
   <translation>用 {0} 模拟，已知误差 {1}：在 GPU 上测量之前不能作为证据</translation>
  </message>
  <message>
   <source>{0}: what was due in the window isn't known (a closed loop, or TTFT's drift isn't known to be small), so rates of all systems count what ended in it</source>
   <translation>{0}：不知道窗口内到期的有多少（闭环，或不知道 TTFT 的漂移是否很小），因此所有系统的速率都计窗口内结束的请求</translation>
  </message>
  <message>
   <source>{0}: {1} accepted/s ended in its window, {2} of those due in it: it may look slower than it is; longer runs count alike</source>
   <translation>{0}：窗口内结束的合格请求为 {1}/s，窗口内到期的为 {2}/s：它可能显得比实际慢；更长的运行计法才一致</translation>
  </message>
  <message>
   <source>under which the load grew without end</source>
   <translation>使负载无止境增长的</translation>
  </message>
  <message>
   <source>of this server, baseline and workload</source>
   <translation>此服务器、基线与负载内容的</translation>
  </message>
  <message>
   <source>{0}: holds no valid run under which the load grew without end, so it tells no capacity</source>
   <translation>{0}：其中没有使负载无止境增长的有效运行，因此说明不了容量</translation>
  </message>
  <message>
   <source>{0}: holds no valid run of this server, baseline and workload, so it tells no capacity</source>
   <translation>{0}：其中没有此服务器、基线与负载内容的有效运行，因此说明不了容量</translation>
  </message>
  <message>
   <source>bench file</source>
   <translation>基准文件</translation>
  </message>
  <message>
   <source>, by the {0}</source>
   <translation>，受{0}所限</translation>
  </message>
  <message>
   <source>no lower rate was measured</source>
   <translation>没有测过更低的速率</translation>
  </message>
  <message>
   <source>{0}/s settled</source>
   <translation>{0}/s 时稳定</translation>
  </message>
  <message>
   <source>Saturates at about {0} requests/s ({1} to {2}).</source>
   <translation>约在 {0} 请求/s 时饱和（{1} 至 {2}）。</translation>
  </message>
  <message>
   <source>Measured: {0}/s grew without end and completed {1}, no lower rate was measured ({2}).</source>
   <translation>实测：{0}/s 时无止境增长，完成 {1}，没有测过更低的速率（{2}）。</translation>
  </message>
  <message>
   <source>Measured: {0}/s grew without end and completed {1}, {2}/s settled ({3}).</source>
   <translation>实测：{0}/s 时无止境增长，完成 {1}；{2}/s 时稳定（{3}）。</translation>
  </message>
  <message>
   <source>{0} is the trace of no run</source>
   <translation>{0} 不是任何运行的轨迹</translation>
  </message>
  <message>
   <source>{0} can't be held against its runs: {1}</source>
   <translation>{0} 无法与其各次运行核对：{1}</translation>
  </message>
  <message>
   <source>{0} is not the trace that its runs replayed</source>
   <translation>{0} 不是其各次运行所重放的轨迹</translation>
  </message>
  <message>
   <source>{0}: the trace with hash {1} isn't packed: {2}</source>
   <translation>{0}：散列为 {1} 的轨迹没有打包：{2}</translation>
  </message>
  <message>
   <source>{0} is another trace now</source>
   <translation>{0} 现在是另一个轨迹</translation>
  </message>
  <message>
   <source>what is made of its settings</source>
   <translation>由其设置生成的轨迹</translation>
  </message>
  <message>
   <source>experiment {0}</source>
   <translation>实验 {0}</translation>
  </message>
  <message>
   <source>{0}: holds no run that could be compared</source>
   <translation>{0}：没有可比较的运行</translation>
  </message>
  <message>
   <source>{0}: no run of it is valid ({1})</source>
   <translation>{0}：没有有效的运行（{1}）</translation>
  </message>
  <message>
   <source>{0}: holds {1} traces; a system is compared on one</source>
   <translation>{0}：含 {1} 个轨迹；系统只在一个轨迹上比较</translation>
  </message>
  <message>
   <source>{0} and {1} have different objectives: give them the same</source>
   <translation>{0} 与 {1} 的目标不同：请给以相同的目标</translation>
  </message>
  <message>
   <source>no demand is stated: type hours and accepted requests a second, such as 8:2,16:6.5 (the command's --curve), or give [demand] in the experiments</source>
   <translation>未说明需求：请输入小时数与每秒合格请求数，如 8:2,16:6.5（命令行用 --curve），或在实验中给出 [demand]</translation>
  </message>
  <message>
   <source>the baselines differ in {0}</source>
   <translation>基线在 {0} 上不同</translation>
  </message>
  <message>
   <source>a smaller KV pool ({0}): capacity, not bandwidth</source>
   <translation>较小的 KV 池（{0}）：容量，而非带宽</translation>
  </message>
  <message>
   <source>{0}: no offer is called {1}; there are: {2}</source>
   <translation>{0}：没有名为 {1} 的报价；现有：{2}</translation>
  </message>
  <message>
   <source>{0}: several offers are for {1}: name one as {2}={3} ({4})</source>
   <translation>{0}：有多个报价对应 {1}：请用 {2}={3} 指定一个（{4}）</translation>
  </message>
  <message>
   <source>the queue is bounded: what is over it is rejected</source>
   <translation>队列有界：超出者被拒绝</translation>
  </message>
  <message>
   <source>the burst is absorbed</source>
   <translation>突发被吸收</translation>
  </message>
  <message>
   <source>latency spikes and is not back by the end: nothing bounds the queue</source>
   <translation>延迟陡增且到结束仍未恢复：队列没有界限</translation>
  </message>
  <message>
   <source>latency spikes, nothing is rejected</source>
   <translation>延迟陡增，无一被拒绝</translation>
  </message>
  <message>
   <source>not back by the end</source>
   <translation>到结束仍未恢复</translation>
  </message>
  <message>
   <source>back after {0} s</source>
   <translation>{0} s 后恢复</translation>
  </message>
  <message>
   <source>{0}, a burst of {1} times for {2} s: {3} (p95 TTFT {4} before, {5} in it, not back by the end, {6} rejected).</source>
   <translation>{0}，{1} 倍的突发持续 {2} s：{3}（p95 TTFT 之前 {4}，其间 {5}，到结束仍未恢复，拒绝 {6} 个）。</translation>
  </message>
  <message>
   <source>{0}, a burst of {1} times for {2} s: {3} (p95 TTFT {4} before, {5} in it, not back by the end, up to {6} waited, {7} rejected).</source>
   <translation>{0}，{1} 倍的突发持续 {2} s：{3}（p95 TTFT 之前 {4}，其间 {5}，到结束仍未恢复，最多 {6} 个等待，拒绝 {7} 个）。</translation>
  </message>
  <message>
   <source>{0}, a burst of {1} times for {2} s: {3} (p95 TTFT {4} before, {5} in it, back after {6} s, {7} rejected).</source>
   <translation>{0}，{1} 倍的突发持续 {2} s：{3}（p95 TTFT 之前 {4}，其间 {5}，{6} s 后恢复，拒绝 {7} 个）。</translation>
  </message>
  <message>
   <source>{0}, a burst of {1} times for {2} s: {3} (p95 TTFT {4} before, {5} in it, back after {6} s, up to {7} waited, {8} rejected).</source>
   <translation>{0}，{1} 倍的突发持续 {2} s：{3}（p95 TTFT 之前 {4}，其间 {5}，{6} s 后恢复，最多 {7} 个等待，拒绝 {8} 个）。</translation>
  </message>
  <message>
   <source>{0} bears at least {1} req/s; at {2} no valid run says enough</source>
   <translation>{0} 至少承受 {1} 请求/s；在 {2} 处没有有效运行足以说明</translation>
  </message>
  <message>
   <source>{0} bears at least {1} req/s, the highest rate offered</source>
   <translation>{0} 至少承受 {1} 请求/s，即所给的最高速率</translation>
  </message>
  <message>
   <source>{0} bears less than {1} req/s ({2})</source>
   <translation>{0} 承受不到 {1} 请求/s ({2})</translation>
  </message>
  <message>
   <source>{0} bears {1} to {2} req/s (at {3}: {4})</source>
   <translation>{0} 承受 {1} 至 {2} 请求/s（在 {3}：{4}）</translation>
  </message>
  <message>
   <source>; yet it bore {0}: more repeats would tell</source>
   <translation>；然而它承受过 {0}：更多重复才能判断</translation>
  </message>
  <message>
   <source>; of {0} nothing is known: more requests would tell</source>
   <translation>；对 {0} 一无所知：更多请求才能判断</translation>
  </message>
  <message>
   <source>{0} is at {1} of its capacity ({2} req/s), where a queue forgets in about {3}: a run of {4} shows its luck; {5}, in one run or in repeats, would show more.</source>
   <translation>{0} 处于其容量的 {1}（{2} 请求/s），在那里队列约需 {3} 才忘掉过去：{4} 的运行只显出运气；{5}，无论一次运行还是多次重复，才看得更清。</translation>
  </message>
  <message>
   <source>{0}: whether the controls interact can't be said, a corner diverges: compare at a lower rate.</source>
   <translation>{0}：无法判断两个控制项是否相互影响，有一角发散：请在更低的速率下比较。</translation>
  </message>
  <message>
   <source>they interact</source>
   <translation>两者相互影响</translation>
  </message>
  <message>
   <source>no interaction can be told from chance</source>
   <translation>看不出超出偶然的相互影响</translation>
  </message>
  <message>
   <source>{0}: {1} alone {2}, beside {3} {4}: they interact (its effect there is larger by {5}, 95 % interval {6} to {7}; {8}).</source>
   <translation>{0}：{1} 单独 {2}，与 {3} 一起 {4}：两者相互影响（在那里其效果大 {5}，95 % 区间 {6} 至 {7}；{8}）。</translation>
  </message>
  <message>
   <source>{0}: {1} alone {2}, beside {3} {4}: they interact (its effect there is larger by {5}, 95 % interval {6} to {7}).</source>
   <translation>{0}：{1} 单独 {2}，与 {3} 一起 {4}：两者相互影响（在那里其效果大 {5}，95 % 区间 {6} 至 {7}）。</translation>
  </message>
  <message>
   <source>{0}: {1} alone {2}, beside {3} {4}: no interaction can be told from chance (its effect there is larger by {5}, 95 % interval {6} to {7}; {8}).</source>
   <translation>{0}：{1} 单独 {2}，与 {3} 一起 {4}：看不出超出偶然的相互影响（在那里其效果大 {5}，95 % 区间 {6} 至 {7}；{8}）。</translation>
  </message>
  <message>
   <source>{0}: {1} alone {2}, beside {3} {4}: no interaction can be told from chance (its effect there is larger by {5}, 95 % interval {6} to {7}).</source>
   <translation>{0}：{1} 单独 {2}，与 {3} 一起 {4}：看不出超出偶然的相互影响（在那里其效果大 {5}，95 % 区间 {6} 至 {7}）。</translation>
  </message>
  <message>
   <source>p95 end to end</source>
   <translation>p95 端到端</translation>
  </message>
  <message>
   <source>p95 queue time</source>
   <translation>p95 排队时间</translation>
  </message>
  <message>
   <source>Nothing to compare with: {0}</source>
   <translation>没有可比较的：{0}</translation>
  </message>
  <message>
   <source>{0}: {1} has no valid run of it.</source>
   <translation>{0}：{1} 中没有它的有效运行。</translation>
  </message>
  <message>
   <source>{0}: not comparable, the traces differ.</source>
   <translation>{0}：不可比较，轨迹不同。</translation>
  </message>
  <message>
   <source>reproduced in that it diverges again; percentiles depend on the run's length</source>
   <translation>在再次发散这一点上复现；百分位取决于运行长度</translation>
  </message>
  <message>
   <source>not reproduced: it diverged then</source>
   <translation>未复现：当时发散</translation>
  </message>
  <message>
   <source>not reproduced: it diverges now</source>
   <translation>未复现：现在发散</translation>
  </message>
  <message>
   <source>it diverged then</source>
   <translation>当时发散</translation>
  </message>
  <message>
   <source>it diverges now</source>
   <translation>现在发散</translation>
  </message>
  <message>
   <source>no difference above {0}</source>
   <translation>差异不超过 {0}</translation>
  </message>
  <message>
   <source>not reproduced</source>
   <translation>未复现</translation>
  </message>
  <message>
   <source>can't tell yet</source>
   <translation>尚不能判断</translation>
  </message>
  <message>
   <source>{0}: no conclusion, the run is invalid.</source>
   <translation>{0}：没有结论，该运行无效。</translation>
  </message>
  <message>
   <source>not stable: {0}</source>
   <translation>不稳定：{0}</translation>
  </message>
  <message>
   <source>no growth was seen</source>
   <translation>没有看到增长</translation>
  </message>
  <message>
   <source>nothing was told</source>
   <translation>什么也没告知</translation>
  </message>
  <message>
   <source>TTFT's drift isn't known</source>
   <translation>TTFT 的漂移未知</translation>
  </message>
  <message>
   <source>{0} over {1}: not stable: {2} ({3}).</source>
   <translation>{0}，历时 {1}：不稳定：{2}（{3}）。</translation>
  </message>
  <message>
   <source>{0} over {1}: not stable: {2}.</source>
   <translation>{0}，历时 {1}：不稳定：{2}。</translation>
  </message>
  <message>
   <source>{0} over {1}: stable ({2}).</source>
   <translation>{0}，历时 {1}：稳定（{2}）。</translation>
  </message>
  <message>
   <source>{0} over {1}: stable.</source>
   <translation>{0}，历时 {1}：稳定。</translation>
  </message>
  <message>
   <source>{0} over {1}: no growth was seen ({2}).</source>
   <translation>{0}，历时 {1}：没有看到增长 ({2})。</translation>
  </message>
  <message>
   <source>{0} over {1}: no growth was seen.</source>
   <translation>{0}，历时 {1}：没有看到增长。</translation>
  </message>
  <message>
   <source>{0} over {1}: nothing was told ({2}).</source>
   <translation>{0}，历时 {1}：什么也没告知（{2}）。</translation>
  </message>
  <message>
   <source>{0} over {1}: nothing was told.</source>
   <translation>{0}，历时 {1}：什么也没告知。</translation>
  </message>
  <message>
   <source>TTFT drifts by {0} to {1} s per s</source>
   <translation>TTFT 每秒漂移 {0} 至 {1} s</translation>
  </message>
  <message>
   <source>TTFT climbs</source>
   <translation>TTFT 上升</translation>
  </message>
  <message>
   <source>{0} and {1} preemptions in its halves</source>
   <translation>前后两半各 {0} 与 {1} 次抢占</translation>
  </message>
  <message>
   <source>preemptions grow</source>
   <translation>抢占增多</translation>
  </message>
  <message>
   <source>KV peak {0} and {1}</source>
   <translation>KV 峰值 {0} 与 {1}</translation>
  </message>
  <message>
   <source>KV use grows</source>
   <translation>KV 使用率上升</translation>
  </message>
  <message>
   <source>{0} at {1} req/s</source>
   <translation>{0}（{1} 请求/s）</translation>
  </message>
  <message>
   <source>{0} at {1} at once</source>
   <translation>{0}（同时 {1} 个）</translation>
  </message>
  <message>
   <source>{0}: no conclusion, a run failed.</source>
   <translation>{0}：没有结论，有一次运行失败。</translation>
  </message>
  <message>
   <source>{0}: no conclusion, a run is invalid.</source>
   <translation>{0}：没有结论，有一次运行无效。</translation>
  </message>
  <message>
   <source>{0} → {1} (also moved: {2})</source>
   <translation>{0} → {1}（也随之改变：{2}）</translation>
  </message>
  <message>
   <source>{0} {1} → {2} (also moved: {3})</source>
   <translation>{0} {1} → {2}（也随之改变：{3}）</translation>
  </message>
  <message>
   <source>completes as much ({0} req/s)</source>
   <translation>完成数相同（{0} 请求/s）</translation>
  </message>
  <message>
   <source>completes {0} → {1} req/s</source>
   <translation>完成 {0} → {1} 请求/s</translation>
  </message>
  <message>
   <source>{0} of {1}</source>
   <translation>{1} 的 {0}</translation>
  </message>
  <message>
   <source>below the {0} that this client can resolve</source>
   <translation>低于此客户端能分辨的 {0}</translation>
  </message>
  <message>
   <source>repeat to know</source>
   <translation>重复才能知道</translation>
  </message>
  <message>
   <source>can't tell yet, about {0} more would</source>
   <translation>尚不能判断，再测约 {0} 即可</translation>
  </message>
  <message>
   <source>; the queue no longer grows</source>
   <translation>；队列不再增长</translation>
  </message>
  <message>
   <source> (+{0} s per s)</source>
   <translation>（每秒 +{0} s）</translation>
  </message>
  <message>
   <source>; the queue still grows (+{0} s per s), so percentiles depend on the run's length</source>
   <translation>；队列仍在增长（每秒 +{0} s），因此百分位取决于运行长度</translation>
  </message>
  <message>
   <source>; the queue still grows, so percentiles depend on the run's length</source>
   <translation>；队列仍在增长，因此百分位取决于运行长度</translation>
  </message>
  <message>
   <source>; now the queue grows, so percentiles depend on the run's length</source>
   <translation>；现在队列增长，因此百分位取决于运行长度</translation>
  </message>
  <message>
   <source>; a single run each</source>
   <translation>；各一次运行</translation>
  </message>
  <message>
   <source>; {0} repeats</source>
   <translation>；重复 {0} 次</translation>
  </message>
  <message>
   <source>{0} repeats would show it</source>
   <translation>重复 {0} 次才看得出</translation>
  </message>
  <message>
   <source>; a single run each, what a restart changes is assumed: {0} repeats would show it</source>
   <translation>；各一次运行，重启带来的变化是假定的：重复 {0} 次才看得出</translation>
  </message>
  <message>
   <source>; {0} repeats, what a restart changes is partly assumed: {1} repeats would show it</source>
   <translation>；重复 {0} 次，重启带来的变化部分是假定的：重复 {1} 次才看得出</translation>
  </message>
  <message>
   <source>No configuration is recommended: no objective is stated.</source>
   <translation>不推荐任何配置：没有说明目标。</translation>
  </message>
  <message>
   <source>No configuration is recommended: {0} {1}.</source>
   <translation>不推荐任何配置：{0} {1}。</translation>
  </message>
  <message>
   <source>Not: {0}.</source>
   <translation>不取：{0}。</translation>
  </message>
  <message>
   <source>No configuration meets all objectives: {0}.</source>
   <translation>没有配置满足全部目标：{0}。</translation>
  </message>
  <message>
   <source>; it {0}</source>
   <translation>；它{0}</translation>
  </message>
  <message>
   <source>the only valid configuration, so nothing was compared</source>
   <translation>唯一有效的配置，因此没有比较</translation>
  </message>
  <message>
   <source>best by {0}</source>
   <translation>按{0}最优</translation>
  </message>
  <message>
   <source>Meets {0}, {1}: {2} ({3}).</source>
   <translation>满足{0}，{1}：{2}（{3}）。</translation>
  </message>
  <message>
   <source>Meets {0}, {1}: {2} ({3}); it {4}.</source>
   <translation>满足{0}，{1}：{2}（{3}）；它{4}。</translation>
  </message>
  <message>
   <source>Meets {0}, {1}: {2} ({3}, {4}).</source>
   <translation>满足{0}，{1}：{2}（{3}，{4}）。</translation>
  </message>
  <message>
   <source>Meets {0}, {1}: {2} ({3}, {4}); it {5}.</source>
   <translation>满足{0}，{1}：{2}（{3}，{4}）；它{5}。</translation>
  </message>
  <message>
   <source>Runners-up: {0}.</source>
   <translation>其次：{0}。</translation>
  </message>
  <message>
   <source>{0} more</source>
   <translation>另有 {0} 个</translation>
  </message>
  <message>
   <source>too few requests</source>
   <translation>请求太少</translation>
  </message>
  <message>
   <source>switchback, {0} pairs of blocks</source>
   <translation>交替切换，{0} 对区段</translation>
  </message>
  <message>
   <source>No conclusion: {0}.</source>
   <translation>没有结论：{0}。</translation>
  </message>
  <message>
   <source>{0} min</source>
   <translation>{0} 分钟</translation>
  </message>
  <message>
   <source>a run of {0}</source>
   <translation>{0} 的一次运行</translation>
  </message>
  <message>
   <source>{0} repeats of {1}</source>
   <translation>{0} 次 {1} 的重复</translation>
  </message>
  <message>
   <source>{0} req/s is {1} of a capacity of {2} req/s, where a queue forgets in about {3}: a run of {4} would show luck; {5}, in one run or in repeats, would show more.</source>
   <translation>{0} 请求/s 是容量 {2} 请求/s 的 {1}，在那里队列约需 {3} 才忘掉过去：{4} 的一次运行只会显出运气；{5}，无论一次运行还是多次重复，才看得更清。</translation>
  </message>
  <message>
   <source>{0} req/s is {1} of a capacity of {2} req/s, where a queue forgets in about {3}: {4} repeats of {5} would show luck; {6}, in one run or in repeats, would show more.</source>
   <translation>{0} 请求/s 是容量 {2} 请求/s 的 {1}，在那里队列约需 {3} 才忘掉过去：{4} 次 {5} 的重复只会显出运气；{6}，无论一次运行还是多次重复，才看得更清。</translation>
  </message>
  <message>
   <source>{0}: holds no experiment from which a next one could be planned</source>
   <translation>{0}：其中没有可据以计划下一个的实验</translation>
  </message>
  <message>
   <source>{0} and {1} can't share a scorecard: they differ in {2}; only the control may differ</source>
   <translation>{0} 与 {1} 不能共用记分卡：两者在 {2} 上不同；只有控制项可以不同</translation>
  </message>
  <message>
   <source>the plan has {0} runs; at most {1} make one</source>
   <translation>计划有 {0} 次运行；一个计划最多 {1} 次</translation>
  </message>
  <message>
   <source>no experiment</source>
   <translation>没有实验</translation>
  </message>
  <message>
   <source>{0}: can't be resumed with these files: it holds {1}, the files say {2}</source>
   <translation>{0}：不能用这些文件续接：它含 {1}，文件所说为 {2}</translation>
  </message>
  <message>
   <source>{0}: can't be resumed with this file: {1} was begun with another {2}; use the file it was begun with, or a new bench file</source>
   <translation>{0}：不能用此文件续接：{1} 开始时用的是另一个 {2}；请用开始时的文件，或新的基准文件</translation>
  </message>
  <message>
   <source>{0}: can't be resumed: the trace of {1} has changed since it was begun (hash {2} then, {3} now)</source>
   <translation>{0}：不能续接：{1} 的轨迹自开始后已改变（当时散列 {2}，现在 {3}）</translation>
  </message>
  <message>
   <source>no run ended as planned ({0})</source>
   <translation>没有运行按计划结束（{0}）</translation>
  </message>
  <message>
   <source>invalid: {0}</source>
   <translation>无效：{0}</translation>
  </message>
  <message>
   <source>{0}: {1}; higher rates are left out</source>
   <translation>{0}：{1}；更高的速率略去</translation>
  </message>
  <message>
   <source>{0}: {1}, where others hold; it is not repeated</source>
   <translation>{0}：{1}，而其他的承受得住；不再重复</translation>
  </message>
  <message>
   <source>{0} in, {1} out</source>
   <translation>输入 {0}，输出 {1}</translation>
  </message>
  <message>
   <source>{0} mix</source>
   <translation>{0} 混合</translation>
  </message>
  <message>
   <source>{0}: holds no prompt text that could be replayed, only lengths and times</source>
   <translation>{0}：没有可重放的提示文本，只有长度与时间</translation>
  </message>
  <message>
   <source>{0} of {1} rows kept; dropped: {2}</source>
   <translation>{1} 行中保留 {0} 行；丢弃：{2}</translation>
  </message>
  <message>
   <source>uses the first {0} of {1} requests of the trace</source>
   <translation>使用轨迹 {1} 个请求中的前 {0} 个</translation>
  </message>
  <message>
   <source>uses the first {0} of {1} requests of the trace: {2}</source>
   <translation>使用轨迹 {1} 个请求中的前 {0} 个：{2}</translation>
  </message>
  <message>
   <source>uses the first {0} of {1} requests of the trace, of a like mix</source>
   <translation>使用轨迹 {1} 个请求中的前 {0} 个，混合相近</translation>
  </message>
  <message>
   <source>{0} of {1} tokens on average, {2} in the whole</source>
   <translation>平均 {1} token 中 {0}，全体为 {2}</translation>
  </message>
  <message>
   <source>{0} % of class {1}, {2} % in the whole</source>
   <translation>类别 {1} 占 {0} %，全体为 {2} %</translation>
  </message>
  <message>
   <source>at {0} req/s </source>
   <translation>在 {0} 请求/s </translation>
  </message>
  <message>
   <source>at {0} req/s {1}</source>
   <translation>在 {0} 请求/s，{1}</translation>
  </message>
  <message>
   <source>[quality] prompts {0}</source>
   <translation>[quality] prompts {0}</translation>
  </message>
  <message>
   <source>it is not UTF-8 text</source>
   <translation>不是 UTF-8 文本</translation>
  </message>
  <message>
   <source>[quality] prompts {0}: can't be read: {1}</source>
   <translation>[quality] prompts {0}：无法读取：{1}</translation>
  </message>
  <message>
   <source>[quality] prompts {0}, line {1}</source>
   <translation>[quality] prompts {0}，第 {1} 行</translation>
  </message>
  <message>
   <source>[quality] prompts {0}: holds {1} prompts; 1 to {2} can be compared</source>
   <translation>[quality] prompts {0}：有 {1} 个提示；可比较 1 至 {2} 个</translation>
  </message>
  <message>
   <source>{0}: not JSON: {1}</source>
   <translation>{0}：不是 JSON：{1}</translation>
  </message>
  <message>
   <source>{0}: holds a number too long or is nested too deep to be read</source>
   <translation>{0}：含过长的数字，或嵌套太深而无法读取</translation>
  </message>
  <message>
   <source>{0}: has no text under "prompt"</source>
   <translation>{0}：“prompt” 下没有文本</translation>
  </message>
  <message>
   <source>{0}: the prompt holds half of a character (a lone surrogate)</source>
   <translation>{0}：提示含半个字符（孤立的代理码元）</translation>
  </message>
  <message>
   <source>not checked: stopped</source>
   <translation>未检查：已停止</translation>
  </message>
  <message>
   <source>not checked: {0}</source>
   <translation>未检查：{0}</translation>
  </message>
  <message>
   <source>not checked: the baseline's answers are not known</source>
   <translation>未检查：基线的回答未知</translation>
  </message>
  <message>
   <source>{0} greedy answers of up to {1} tokens</source>
   <translation>{0} 个贪心回答，每个最多 {1} token</translation>
  </message>
  <message>
   <source> (the baseline's own second try: {0})</source>
   <translation>（基线自己再答一遍：{0}）</translation>
  </message>
  <message>
   <source>compared: {0} of {1} are the baseline's{2}</source>
   <translation>已比较：{1} 个中有 {0} 个与基线相同{2}</translation>
  </message>
  <message>
   <source>answers can't be had: {0}</source>
   <translation>得不到回答：{0}</translation>
  </message>
  <message>
   <source>answers can't be had: HTTP {0}</source>
   <translation>得不到回答：HTTP {0}</translation>
  </message>
  <message>
   <source>answers can't be had: the server's reply holds none</source>
   <translation>得不到回答：服务器的答复中没有</translation>
  </message>
  <message>
   <source>a command line above {0} KiB is ignored
</source>
   <translation>超过 {0} KiB 的命令行被忽略
</translation>
  </message>
  <message>
   <source>what is nested too deep to be read</source>
   <translation>嵌套太深而无法读取的内容</translation>
  </message>
  <message>
   <source>{0} lines</source>
   <translation>{0} 行</translation>
  </message>
  <message>
   <source>ignored on standard input: 1 line, no {"command": …} of {0}</source>
   <translation>标准输入中被忽略：1 行，不是 {0} 的 {"command": …}</translation>
  </message>
  <message>
   <source>ignored on standard input: {0} lines, no {"command": …} of {1}</source>
   <translation>标准输入中被忽略：{0} 行，不是 {1} 的 {"command": …}</translation>
  </message>
  <message>
   <source>what differences the load generator resolves</source>
   <translation>负载发生器能分辨多大的差异</translation>
  </message>
  <message>
   <source>calibrating: {0}{1} (about {2} s, once a day)</source>
   <translation>正在校准：{0}{1}（约 {2} s，每天一次）</translation>
  </message>
  <message>
   <source>calibrated{0}: {1} ms of TTFT, {2} ms of ITL</source>
   <translation>已校准{0}：TTFT {1} ms，ITL {2} ms</translation>
  </message>
  <message>
   <source>the way to {0} adds {1} ms to every TTFT; it is part of all of them</source>
   <translation>到 {0} 的路径给每个 TTFT 增加 {1} ms；所有 TTFT 都含有它</translation>
  </message>
  <message>
   <source>not calibrated{0}: {1}</source>
   <translation>未校准{0}：{1}</translation>
  </message>
  <message>
   <source>null server</source>
   <translation>空服务器</translation>
  </message>
  <message>
   <source>{0} is too busy: the null server there was itself late at the lowest rate</source>
   <translation>{0} 太忙：那里的空服务器在最低速率下自身已迟到</translation>
  </message>
  <message>
   <source>{0} is too busy to hold even the lowest rate</source>
   <translation>{0} 太忙，连最低的速率也维持不住</translation>
  </message>
  <message>
   <source>even the lowest rate came late: this machine or what lies between is too busy</source>
   <translation>连最低的速率也迟到：本机或中间环节太忙</translation>
  </message>
  <message>
   <source>this machine is too busy to hold even the lowest rate</source>
   <translation>本机太忙，连最低的速率也维持不住</translation>
  </message>
  <message>
   <source>; what differences these runs resolve is not known</source>
   <translation>；这些运行能分辨多大的差异未知</translation>
  </message>
  <message>
   <source>; the floor of these runs is that of {0}</source>
   <translation>；这些运行的下限取 {0} 的</translation>
  </message>
  <message>
   <source>the floor is this machine's alone: the path to {0} is not in it (run nullserver.py there and measure --calibrate http://… here to have it in)</source>
   <translation>下限只是本机的：不含到 {0} 的路径（在那里运行 nullserver.py，在此 measure --calibrate http://…，即可包含）</translation>
  </message>
  <message>
   <source>{0} must be a whole number, not {1}</source>
   <translation>{0} 必须是整数，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: {1}; it is done again</source>
   <translation>{0}：{1}；重做</translation>
  </message>
  <message>
   <source>; done again: {0}</source>
   <translation>；重做：{0}</translation>
  </message>
  <message>
   <source>resumed: {0} finished runs are kept; done again: {1}</source>
   <translation>已续接：{0} 次完成的运行予以保留；重做：{1}</translation>
  </message>
  <message>
   <source>resumed: {0} finished runs are kept</source>
   <translation>已续接：{0} 次完成的运行予以保留</translation>
  </message>
  <message>
   <source>ended before its load began</source>
   <translation>在其负载开始前结束</translation>
  </message>
  <message>
   <source>comparing answers</source>
   <translation>正在比较回答</translation>
  </message>
  <message>
   <source>{0}: [objectives.classes] the trace has no class {1}; it has {2}</source>
   <translation>{0}：[objectives.classes] 轨迹中没有类别 {1}；它有 {2}</translation>
  </message>
  <message>
   <source>env {0}</source>
   <translation>环境变量 {0}</translation>
  </message>
  <message>
   <source>{0}: [target] {1} held a secret that isn't stored: write it anew, or give it through api_key_env or the environment</source>
   <translation>{0}：[target] {1} 曾含一个未存储的密钥：请重新写入，或通过 api_key_env 或环境给出</translation>
  </message>
  <message>
   <source>no reason given</source>
   <translation>未给出原因</translation>
  </message>
  <message>
   <source>{0} of {1} requests failed, all with: {2}</source>
   <translation>{1} 个请求中有 {0} 个失败，都因：{2}</translation>
  </message>
  <message>
   <source>{0} of {1} requests failed, {2} with: {3}</source>
   <translation>{1} 个请求中有 {0} 个失败，其中 {2} 个因：{3}</translation>
  </message>
  <message>
   <source> and {0} more</source>
   <translation>，另有 {0} 个</translation>
  </message>
  <message>
   <source>asked {0}, moved {1}</source>
   <translation>要求改 {0} 个，改动了 {1} 个</translation>
  </message>
  <message>
   <source>{0}: asked {1}, moved {2}: {3}</source>
   <translation>{0}：要求改 {1} 个，改动了 {2} 个：{3}</translation>
  </message>
  <message>
   <source>model name</source>
   <translation>模型名称</translation>
  </message>
  <message>
   <source> Next: {0}</source>
   <translation>下一步：{0}</translation>
  </message>
  <message>
   <source>{0}: {1} {2} Next: {3}</source>
   <translation>{0}：{1} {2} 下一步：{3}</translation>
  </message>
  <message>
   <source>kv = "pinned": no server of the baseline has said how many KV-cache blocks it has</source>
   <translation>kv = "pinned"：基线的服务器都没有说明有多少 KV 缓存块</translation>
  </message>
  <message>
   <source>no server is ready</source>
   <translation>没有就绪的服务器</translation>
  </message>
  <message>
   <source>a limit needs its name: one of {0}</source>
   <translation>限制需要名称：{0} 之一</translation>
  </message>
  <message>
   <source>{0} can't be changed: {1}</source>
   <translation>{0} 不能更改：{1}</translation>
  </message>
  <message>
   <source>before the start</source>
   <translation>启动之前</translation>
  </message>
  <message>
   <source>at {0} s</source>
   <translation>在 {0} s</translation>
  </message>
  <message>
   <source>{0} {1} → {2} before the start</source>
   <translation>启动之前 {0} {1} → {2}</translation>
  </message>
  <message>
   <source>{0} {1} → {2} at {3} s</source>
   <translation>在 {3} s，{0} {1} → {2}</translation>
  </message>
  <message>
   <source> on {0}</source>
   <translation>，在 {0} 上</translation>
  </message>
  <message>
   <source> through the tunnel to {0}</source>
   <translation>，经到 {0} 的隧道</translation>
  </message>
  <message>
   <source>load workers on {0}</source>
   <translation>{0} 上的负载进程</translation>
  </message>
  <message>
   <source>this machine alone</source>
   <translation>仅本机</translation>
  </message>
  <message>
   <source>through the tunnel to</source>
   <translation>经隧道到</translation>
  </message>
  <message>
   <source>the path to</source>
   <translation>路径到</translation>
  </message>
  <message>
   <source>through the tunnel to {0}</source>
   <translation>经到 {0} 的隧道</translation>
  </message>
  <message>
   <source>the path to {0}</source>
   <translation>到 {0} 的路径</translation>
  </message>
  <message>
   <source>{0} is no size; write it like 24 GiB</source>
   <translation>{0} 不是大小；请写作 24 GiB 的形式</translation>
  </message>
  <message>
   <source>{0} GiB</source>
   <translation>{0} GiB</translation>
  </message>
  <message>
   <source>the embedded engine's KV cache comes from its profile</source>
   <translation>内置引擎的 KV 缓存来自其画像</translation>
  </message>
  <message>
   <source>the server runs already: its memory is what it is</source>
   <translation>服务器已在运行：其内存已定</translation>
  </message>
  <message>
   <source>{0}: no config.json on this machine, so nothing can be sized; give a local folder</source>
   <translation>{0}：本机没有 config.json，因此无法估算容量；请给出本地文件夹</translation>
  </message>
  <message>
   <source>no model</source>
   <translation>没有模型</translation>
  </message>
  <message>
   <source>--gpu-memory-utilization must be a share such as 0.9, not {0}</source>
   <translation>--gpu-memory-utilization 必须是份额，如 0.9，而不是 {0}</translation>
  </message>
  <message>
   <source>unexpected {0} while it was sized: {1}</source>
   <translation>估算时出现意外的 {0}：{1}</translation>
  </message>
  <message>
   <source>{0}: its clock can't be read, so no start can be agreed on</source>
   <translation>{0}：读不到它的时钟，因此无法约定开始时间</translation>
  </message>
  <message>
   <source>[target] load_python {0} on {1}</source>
   <translation>{1} 上的 [target] load_python {0}</translation>
  </message>
  <message>
   <source>{0}: it has no vllm-workbench ({1}); install {2} there with its pip</source>
   <translation>{0}：它没有 vllm-workbench（{1}）；请用那里的 pip 安装 {2}</translation>
  </message>
  <message>
   <source>{0}: it has vllm-workbench {1}, this is {2}; they must be equal</source>
   <translation>{0}：它的 vllm-workbench 是 {1}，这里是 {2}；两者必须相同</translation>
  </message>
  <message>
   <source>the connection dropped: {0}</source>
   <translation>连接断开：{0}</translation>
  </message>
  <message>
   <source>{0}: the null server didn't start under {1}</source>
   <translation>{0}：空服务器在 {1} 下未能启动</translation>
  </message>
  <message>
   <source>{0} within {1} s</source>
   <translation>{1} s 内{0}</translation>
  </message>
  <message>
   <source>it said nothing</source>
   <translation>它什么也没说</translation>
  </message>
  <message>
   <source>starting server</source>
   <translation>正在启动服务器</translation>
  </message>
  <message>
   <source>the server was lost: {0}</source>
   <translation>失去服务器：{0}</translation>
  </message>
  <message>
   <source>it ended</source>
   <translation>它已结束</translation>
  </message>
  <message>
   <source>the server is started anew: {0}</source>
   <translation>服务器重新启动：{0}</translation>
  </message>
  <message>
   <source>embedded engine, {0}</source>
   <translation>内置引擎，{0}</translation>
  </message>
  <message>
   <source>default profile</source>
   <translation>默认画像</translation>
  </message>
  <message>
   <source>{0} vLLM, {1}</source>
   <translation>{0} vLLM，{1}</translation>
  </message>
  <message>
   <source>not checked: {0} can change answers</source>
   <translation>未检查：{0} 可能改变回答</translation>
  </message>
  <message>
   <source>the step record has {0} of the server's {1} engines: nothing of the run is taken from it</source>
   <translation>步骤记录只包含服务器 {1} 个引擎中的 {0} 个：本次运行不采用其中任何内容</translation>
  </message>
  <message>
   <source>warming up</source>
   <translation>预热中</translation>
  </message>
  <message>
   <source>{0}: no step {1}</source>
   <translation>{0}：没有步骤 {1}</translation>
  </message>
  <message>
   <source>{0} tested {1} at {2}, not at {3}</source>
   <translation>{0} 测试了 {1} 的 {2}，而不是 {3}</translation>
  </message>
  <message>
   <source>change {0}</source>
   <translation>更改 {0}</translation>
  </message>
  <message>
   <source>{0}: there is no {1}</source>
   <translation>{0}：没有 {1}</translation>
  </message>
  <message>
   <source>{0}: written by a newer vLLM Workbench (session format {1}, this program reads up to {2}); update the program</source>
   <translation>{0}：由更新的 vLLM Workbench 写入（会话格式 {1}，本程序最高读 {2}）；请更新程序</translation>
  </message>
  <message>
   <source>{0}: not a session of vLLM Workbench: {1}</source>
   <translation>{0}：不是 vLLM Workbench 的会话：{1}</translation>
  </message>
  <message>
   <source>{0}: step {1} begins from step {2}, which isn't before it</source>
   <translation>{0}：步骤 {1} 始于步骤 {2}，而后者不在它之前</translation>
  </message>
  <message>
   <source>{0}: empty: an experiment needs a name, [target], [control], [trace] and [load]</source>
   <translation>{0}：为空：实验需要名称、[target]、[control]、[trace] 与 [load]</translation>
  </message>
  <message>
   <source>{0}: kind = "reproduce" takes everything from the bench file it names; run it with `workbench run`</source>
   <translation>{0}：kind = "reproduce" 的一切取自它所指的基准文件；请用 `workbench run` 运行</translation>
  </message>
  <message>
   <source>unknown key</source>
   <translation>未知的键</translation>
  </message>
  <message>
   <source>missing key</source>
   <translation>缺少的键</translation>
  </message>
  <message>
   <source>a table</source>
   <translation>表</translation>
  </message>
  <message>
   <source>a list</source>
   <translation>列表</translation>
  </message>
  <message>
   <source>a whole number</source>
   <translation>整数</translation>
  </message>
  <message>
   <source>a number</source>
   <translation>数字</translation>
  </message>
  <message>
   <source>true or false</source>
   <translation>true 或 false</translation>
  </message>
  <message>
   <source>a date</source>
   <translation>日期</translation>
  </message>
  <message>
   <source>must be</source>
   <translation>必须是</translation>
  </message>
  <message>
   <source>must be a date such as 2026-11-01</source>
   <translation>必须是日期，如 2026-11-01</translation>
  </message>
  <message>
   <source>not a possible value:</source>
   <translation>不可能的值：</translation>
  </message>
  <message>
   <source>not a possible value</source>
   <translation>不可能的值</translation>
  </message>
  <message>
   <source>; possible are {0}</source>
   <translation>；可以是 {0}</translation>
  </message>
  <message>
   <source>{0}: kind = "reproduce" takes bench, and name and [target] where they differ: {1}</source>
   <translation>{0}：kind = "reproduce" 只取 bench，以及不同时的 name 与 [target]：{1}</translation>
  </message>
  <message>
   <source>{0}: holds no experiment that could be reproduced</source>
   <translation>{0}：其中没有可复现的实验</translation>
  </message>
  <message>
   <source>{0}: holds no experiment that could be gone on with</source>
   <translation>{0}：不含可以继续进行的实验</translation>
  </message>
  <message>
   <source>{0}: its [target] held a secret that isn't stored; give [target] in the reproducing file</source>
   <translation>{0}：其 [target] 曾含一个未存储的密钥；请在复现文件中给出 [target]</translation>
  </message>
  <message>
   <source>{0}: [control] one control at a time: this would change {1}; make one experiment of each, with the same baseline, and run them together</source>
   <translation>{0}：[control] 一次只改一个控制项：这将更改 {1}；请各建一个实验，用相同的基线，一并运行</translation>
  </message>
  <message>
   <source>{0}: [control] values is empty: give at least one value to compare with the baseline</source>
   <translation>{0}：[control] values 为空：请至少给出一个与基线比较的值</translation>
  </message>
  <message>
   <source>{0}: [control] values</source>
   <translation>{0}：[control] values</translation>
  </message>
  <message>
   <source>{0}: [control] values has the same value twice</source>
   <translation>{0}：[control] values 中有重复的值</translation>
  </message>
  <message>
   <source>{0}: [control] values holds {1}, which is the baseline's own {2}</source>
   <translation>{0}：[control] values 含 {1}，即基线自己的 {2}</translation>
  </message>
  <message>
   <source>{0} {1} can't be changed on an attached server, which isn't ours to restart; only the caller's own controls can: {2}</source>
   <translation>{0} {1} 不能在外接的服务器上更改，我们无权重启它；只有调用方自己的控制项可以：{2}</translation>
  </message>
  <message>
   <source>{0}: [{1}] is missing: kind = "{2}" needs it</source>
   <translation>{0}：缺少 [{1}]：kind = "{2}" 需要它</translation>
  </message>
  <message>
   <source>{0}: [{1}] means nothing with kind = "{2}"; it needs kind = "{3}"</source>
   <translation>{0}：[{1}] 在 kind = "{2}" 下没有意义；它需要 kind = "{3}"</translation>
  </message>
  <message>
   <source>{0}: [load] ladder adaptive means nothing with kind = "{1}"</source>
   <translation>{0}：[load] ladder adaptive 在 kind = "{1}" 下没有意义</translation>
  </message>
  <message>
   <source>{0}: [load] one long run needs one rate, not {1}</source>
   <translation>{0}：[load] 一次长运行只需一个速率，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [load] duration_s is missing: how long is it to go on?</source>
   <translation>{0}：[load] 缺少 duration_s：要持续多久？</translation>
  </message>
  <message>
   <source>{0}: [control] values must be one value in a 2 by 2, not {1}</source>
   <translation>{0}：[control] values 在 2 × 2 中必须是一个值，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [second] name</source>
   <translation>{0}：[second] name</translation>
  </message>
  <message>
   <source>{0}: [second] value</source>
   <translation>{0}：[second] value</translation>
  </message>
  <message>
   <source>{0}: [second] name is [control]'s own; a 2 by 2 has two controls</source>
   <translation>{0}：[second] name 与 [control] 相同；2 × 2 有两个控制项</translation>
  </message>
  <message>
   <source>{0}: [second] value {1} is the baseline's own {2}</source>
   <translation>{0}：[second] value {1} 即基线自己的 {2}</translation>
  </message>
  <message>
   <source>{0}: [control] {1} can't be changed while a server runs; these can: {2}</source>
   <translation>{0}：[control] {1} 不能在服务器运行时更改；可以更改的有：{2}</translation>
  </message>
  <message>
   <source>{0}: [target] live_limits = true is missing: kind = "switchback" needs it</source>
   <translation>{0}：缺少 [target] live_limits = true：kind = "switchback" 需要它</translation>
  </message>
  <message>
   <source>{0}: kind = "switchback" compares two values of {1}: state one in [baseline] and one in [control] values</source>
   <translation>{0}：kind = "switchback" 比较 {1} 的两个值：一个写在 [baseline]，一个写在 [control] values</translation>
  </message>
  <message>
   <source>{0}: [switchback] block_s must be above 0, not {1}</source>
   <translation>{0}：[switchback] block_s 必须大于 0，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [switchback] washout_s must be at least 0 and below block_s, not {1}</source>
   <translation>{0}：[switchback] washout_s 必须不小于 0 且小于 block_s，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [load] duration_s must be at least {1} s, {2} pairs of blocks: with fewer no difference can be told from chance</source>
   <translation>{0}：[load] duration_s 必须不小于 {1} s，即 {2} 对区段：更少则无法把差异与偶然区分开</translation>
  </message>
  <message>
   <source>{0}: [target] kv = "pinned"</source>
   <translation>{0}：[target] kv = "pinned"</translation>
  </message>
  <message>
   <source>{0}: [target] kv = "pinned": {1}, the control under test, is about the KV cache</source>
   <translation>{0}：[target] kv = "pinned"：受测的控制项 {1} 与 KV 缓存有关</translation>
  </message>
  <message>
   <source>{0}: [target] kv = "pinned": [baseline] {1} says already how many blocks every server has</source>
   <translation>{0}：[target] kv = "pinned"：[baseline] {1} 已说明每台服务器有多少块</translation>
  </message>
  <message>
   <source>{0}: [target] kv = "pinned" means nothing for a switchback: it has one server</source>
   <translation>{0}：[target] kv = "pinned" 对交替切换没有意义：它只有一台服务器</translation>
  </message>
  <message>
   <source>{0}: name is empty: give the experiment one</source>
   <translation>{0}：name 为空：请给实验起名</translation>
  </message>
  <message>
   <source>{0}: [load] give rates or concurrency: equal requests have no times of their own</source>
   <translation>{0}：[load] 请给出 rates 或 concurrency：相同的请求没有自己的时间</translation>
  </message>
  <message>
   <source>{0}: [quality] tokens must be between 1 and {1}, not {2}</source>
   <translation>{0}：[quality] tokens 必须在 1 与 {1} 之间，而不是 {2}</translation>
  </message>
  <message>
   <source>[control] {0} = {1}</source>
   <translation>[control] {0} = {1}</translation>
  </message>
  <message>
   <source>{0}: [control] {1} = {2}</source>
   <translation>{0}：[control] {1} = {2}</translation>
  </message>
  <message>
   <source>{0}: [objectives.classes.{1}]</source>
   <translation>{0}：[objectives.classes.{1}]</translation>
  </message>
  <message>
   <source>{0} {1} must be between 0 and 1, not {2}</source>
   <translation>{0} {1} 必须在 0 与 1 之间，而不是 {2}</translation>
  </message>
  <message>
   <source>{0} {1} must be at least 0, not {2}</source>
   <translation>{0} {1} 必须不小于 0，而不是 {2}</translation>
  </message>
  <message>
   <source>{0} {1} must be above 0 ms, not {2}: no request could meet it</source>
   <translation>{0} {1} 必须大于 0 ms，而不是 {2}：没有请求能满足</translation>
  </message>
  <message>
   <source>{0} {1} must be at most {2}, not {3}</source>
   <translation>{0} {1} 不能超过 {2}，而不是 {3}</translation>
  </message>
  <message>
   <source>{0}: [repeat] n must be at least 1, not {1}</source>
   <translation>{0}：[repeat] n 必须不小于 1，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [repeat] disturbed must be between 0 and {1}, not {2}</source>
   <translation>{0}：[repeat] disturbed 必须在 0 到 {1} 之间，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}: [cost] per_hour must be above 0, not {1}</source>
   <translation>{0}：[cost] per_hour 必须大于 0，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [cost] per_hour must be at most {1}, not {2}</source>
   <translation>{0}：[cost] per_hour 不能超过 {1}，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}: [cost] {1} is empty</source>
   <translation>{0}：[cost] {1} 为空</translation>
  </message>
  <message>
   <source>{0}: {1} runs; at most {2} make one experiment</source>
   <translation>{0}：{1} 次运行；一个实验最多 {2} 次</translation>
  </message>
  <message>
   <source>{0}: [trace] give exactly one of file, synthetic, mix; given: {1}</source>
   <translation>{0}：[trace] 请在 file、synthetic、mix 中只给一个；已给：{1}</translation>
  </message>
  <message>
   <source>{0}: [trace] speedup must be above 0, not {1}</source>
   <translation>{0}：[trace] speedup 必须大于 0，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [trace] seed must be between 0 and {1}, not {2}</source>
   <translation>{0}：[trace] seed 必须在 0 与 {1} 之间，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}: [trace] {1} needs file: only a file holds texts</source>
   <translation>{0}：[trace] {1} 需要 file：只有文件含有文本</translation>
  </message>
  <message>
   <source>{0}: [trace] replay_text cuts no text: give max_len "refuse" or "drop"</source>
   <translation>{0}：[trace] replay_text 不截断文本：请给 max_len "refuse" 或 "drop"</translation>
  </message>
  <message>
   <source>{0}: [trace] replay_text sends text; input_mode ids can't</source>
   <translation>{0}：[trace] replay_text 发送文本；input_mode ids 做不到</translation>
  </message>
  <message>
   <source>{0}: [target] args {1} writes prompts into the server's log, which is kept; leave it out, or replay no real text</source>
   <translation>{0}：[target] args {1} 会把提示写入服务器的日志并保留；请去掉它，或不重放真实文本</translation>
  </message>
  <message>
   <source>{0}: [load] give rates or ladder (open loop) or concurrency (closed loop), not both: {1}</source>
   <translation>{0}：[load] 请给出 rates 或 ladder（开环）或 concurrency（闭环），不可兼用：{1}</translation>
  </message>
  <message>
   <source>{0}: [load] {1} is empty</source>
   <translation>{0}：[load] {1} 为空</translation>
  </message>
  <message>
   <source>{0}: [load] {1} must be above 0, not {2}</source>
   <translation>{0}：[load] {1} 必须大于 0，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}: [load] {1} has the same value twice</source>
   <translation>{0}：[load] {1} 中有重复的值</translation>
  </message>
  <message>
   <source>{0}: [load] ladder</source>
   <translation>{0}：[load] ladder</translation>
  </message>
  <message>
   <source>{0}: [load] profile</source>
   <translation>{0}：[load] profile</translation>
  </message>
  <message>
   <source>{0}: [load] give rates or concurrency, or arrivals = "trace" to keep the trace's own times</source>
   <translation>{0}：[load] 请给出 rates 或 concurrency，或用 arrivals = "trace" 保留轨迹自身的时间</translation>
  </message>
  <message>
   <source>{0}: [load] {1} must not be negative, not {2}</source>
   <translation>{0}：[load] {1} 不得为负，而不是 {2}</translation>
  </message>
  <message>
   <source>{0}: [load] {1} must be at most {2}</source>
   <translation>{0}：[load] {1} 最多为 {2}</translation>
  </message>
  <message>
   <source>{0} means nothing with concurrency: a closed loop has no rate of its own</source>
   <translation>{0} 在 concurrency 下没有意义：闭环没有自己的速率</translation>
  </message>
  <message>
   <source>{0} replaces the trace's own times: leave arrivals out, or give "poisson"</source>
   <translation>{0} 会取代轨迹自身的时间：去掉 arrivals，或给 "poisson"</translation>
  </message>
  <message>
   <source>{0} from must be above 0, not {1}</source>
   <translation>{0} from 必须大于 0，而不是 {1}</translation>
  </message>
  <message>
   <source>{0} to must be at least from ({1}), not {2}</source>
   <translation>{0} to 必须不小于 from（{1}），而不是 {2}</translation>
  </message>
  <message>
   <source>{0} to must be at most {1}, not {2}</source>
   <translation>{0} to 最多为 {1}，而不是 {2}</translation>
  </message>
  <message>
   <source>{0} factor must be at least {1}, not {2}</source>
   <translation>{0} factor 必须不小于 {1}，而不是 {2}</translation>
  </message>
  <message>
   <source>{0} bisections must be between 0 and 10, not {1}</source>
   <translation>{0} bisections 必须在 0 与 10 之间，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [burst] factor must be above 1, not {1}</source>
   <translation>{0}：[burst] factor 必须大于 1，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [burst] seconds must be above 0, not {1}</source>
   <translation>{0}：[burst] seconds 必须大于 0，而不是 {1}</translation>
  </message>
  <message>
   <source>{0}: [burst] at must be above 0, not {1}: the normal rate comes first</source>
   <translation>{0}：[burst] at 必须大于 0，而不是 {1}：先有正常速率</translation>
  </message>
  <message>
   <source>{0}: [load] profile means nothing with kind = "burst"</source>
   <translation>{0}：[load] profile 在 kind = "burst" 下没有意义</translation>
  </message>
  <message>
   <source>{0}: [load] kind = "burst" needs rates with arrivals "poisson", "constant" or "gamma"</source>
   <translation>{0}：[load] kind = "burst" 需要 rates，且 arrivals 为 "poisson"、"constant" 或 "gamma"</translation>
  </message>
  <message>
   <source>{0}: [load] duration_s must be above {1} s, the burst's end, so that one sees how the queue empties</source>
   <translation>{0}：[load] duration_s 必须大于 {1} s，即突发的结束，才看得到队列如何排空</translation>
  </message>
  <message>
   <source>{0}, {1} cores</source>
   <translation>{0}，{1} 个核</translation>
  </message>
  <message>
   <source>the server closed the connection</source>
   <translation>服务器关闭了连接</translation>
  </message>
  <message>
   <source>connection lost: {0}</source>
   <translation>连接丢失：{0}</translation>
  </message>
  <message>
   <source>no connection within {0} s</source>
   <translation>{0} s 内没有建立连接</translation>
  </message>
  <message>
   <source>can't connect: {0}</source>
   <translation>无法连接：{0}</translation>
  </message>
  <message>
   <source>the server closed the connection at once</source>
   <translation>服务器立即关闭了连接</translation>
  </message>
  <message>
   <source>{0} has no address</source>
   <translation>{0} 没有地址</translation>
  </message>
  <message>
   <source>{0}: this process may have {1} open (ulimit -n)</source>
   <translation>{0}：此进程最多可打开 {1} 个（ulimit -n）</translation>
  </message>
  <message>
   <source>never sent: {0}</source>
   <translation>未发送：{0}</translation>
  </message>
  <message>
   <source>never sent: the client fell behind</source>
   <translation>未发送：客户端落后了</translation>
  </message>
  <message>
   <source>never due: what it waited for had not ended</source>
   <translation>从未到期：它所等待的没有结束</translation>
  </message>
  <message>
   <source>no whole answer within {0} s</source>
   <translation>{0} s 内没有完整的回答</translation>
  </message>
  <message>
   <source>held by the cap on requests in flight for {0} s</source>
   <translation>因在途请求上限被压住 {0} s</translation>
  </message>
  <message>
   <source>{0} {1}: must be at least 1</source>
   <translation>{0} {1}：必须不小于 1</translation>
  </message>
  <message>
   <source>{0} {1}: must be above 0</source>
   <translation>{0} {1}：必须大于 0</translation>
  </message>
  <message>
   <source>{0} {1}: must not be negative</source>
   <translation>{0} {1}：不得为负</translation>
  </message>
  <message>
   <source>max_retries and retry_backoff_s: must not be negative</source>
   <translation>max_retries 与 retry_backoff_s：不得为负</translation>
  </message>
  <message>
   <source>time_scale {0}: must be above 0</source>
   <translation>time_scale {0}：必须大于 0</translation>
  </message>
  <message>
   <source>input_mode {0}: must be one of {1}</source>
   <translation>input_mode {0}：必须是 {1} 之一</translation>
  </message>
  <message>
   <source>stopped by the user</source>
   <translation>由用户停止</translation>
  </message>
  <message>
   <source>still open at the end of the drain</source>
   <translation>排空结束时仍未结束</translation>
  </message>
  <message>
   <source>the answer is not HTTP: {0}</source>
   <translation>回答不是 HTTP：{0}</translation>
  </message>
  <message>
   <source>the answer is compressed ({0}), which nobody asked for: no times of tokens</source>
   <translation>响应经过了压缩（{0}），而这并未被请求：没有 token 的时间</translation>
  </message>
  <message>
   <source>an event is longer than {0} MiB: no stream of tokens</source>
   <translation>一个事件长于 {0} MiB：不是 token 流</translation>
  </message>
  <message>
   <source>an error event without words</source>
   <translation>没有说明的错误事件</translation>
  </message>
  <message>
   <source>an event can't be read: {0}</source>
   <translation>有事件无法读取：{0}</translation>
  </message>
  <message>
   <source>the answer is neither a stream of events nor JSON: {0}</source>
   <translation>应答既不是事件流也不是 JSON：{0}</translation>
  </message>
  <message>
   <source>it is empty</source>
   <translation>它是空的</translation>
  </message>
  <message>
   <source>HTTP {0}: {1}</source>
   <translation>HTTP {0}：{1}</translation>
  </message>
  <message>
   <source>HTTP {0}</source>
   <translation>HTTP {0}</translation>
  </message>
  <message>
   <source>an error event</source>
   <translation>错误事件</translation>
  </message>
  <message>
   <source>the connection closed before the answer ended</source>
   <translation>回答结束前连接关闭</translation>
  </message>
  <message>
   <source>the stream ended without a finish_reason</source>
   <translation>流结束而没有 finish_reason</translation>
  </message>
  <message>
   <source>finish_reason {0}</source>
   <translation>finish_reason {0}</translation>
  </message>
  <message>
   <source>{0}; the server's last words: {1}</source>
   <translation>{0}；服务器最后的话：{1}</translation>
  </message>
  <message>
   <source>no whole answer</source>
   <translation>没有完整的回答</translation>
  </message>
  <message>
   <source>HTTP {0} (the server's words may quote the prompt and are left out)</source>
   <translation>HTTP {0}（服务器的原话可能引用提示，故略去）</translation>
  </message>
  <message>
   <source>no whole answer (the server's words may quote the prompt and are left out)</source>
   <translation>没有完整的回答（服务器的原话可能引用提示，故略去）</translation>
  </message>
  <message>
   <source>the server is at {0}: give that address</source>
   <translation>服务器位于 {0}：请填写该地址</translation>
  </message>
  <message>
   <source>stopped before the first request was sent</source>
   <translation>在发送第一个请求之前停止</translation>
  </message>
  <message>
   <source>real text can be replayed with input_mode "text" only</source>
   <translation>真实文本只能以 input_mode "text" 重放</translation>
  </message>
  <message>
   <source>load worker {0} died ({1}): {2}</source>
   <translation>负载进程 {0} 终止（{1}）：{2}</translation>
  </message>
  <message>
   <source>load worker {0} died ({1})</source>
   <translation>负载进程 {0} 终止（{1}）</translation>
  </message>
  <message>
   <source>no JSON object</source>
   <translation>不是 JSON 对象</translation>
  </message>
  <message>
   <source>endpoint {0}: must be one of {1}</source>
   <translation>端点 {0}：必须是 {1} 之一</translation>
  </message>
  <message>
   <source>API key</source>
   <translation>API 密钥</translation>
  </message>
  <message>
   <source>header or key {0}: holds characters that HTTP can't carry</source>
   <translation>请求头或密钥 {0}：含 HTTP 不能承载的字符</translation>
  </message>
  <message>
   <source>URL {0}: {1}</source>
   <translation>URL {0}：{1}</translation>
  </message>
  <message>
   <source>URL {0}: must look like http://HOST:PORT or https://HOST[/PATH]</source>
   <translation>URL {0}：须形如 http://HOST:PORT 或 https://HOST[/PATH]</translation>
  </message>
  <message>
   <source>{0}: no first token to compare: {1}</source>
   <translation>{0}：没有可比较的首个 token：{1}</translation>
  </message>
  <message>
   <source>{0}: no answer within {1} s</source>
   <translation>{0}：{1} s 内没有回答</translation>
  </message>
  <message>
   <source>{0}: the server closed the connection while it answered</source>
   <translation>{0}：服务器在回答时关闭了连接</translation>
  </message>
  <message>
   <source>{0}: no answer: {1}</source>
   <translation>{0}：没有回答：{1}</translation>
  </message>
  <message>
   <source>{0}: the server refuses the API key (HTTP {1})</source>
   <translation>{0}：服务器拒绝 API 密钥（HTTP {1}）</translation>
  </message>
  <message>
   <source>{0}: no such path or model (HTTP 404): {1}</source>
   <translation>{0}：没有这样的路径或模型（HTTP 404）：{1}</translation>
  </message>
  <message>
   <source>exit code {0}: {1}</source>
   <translation>退出码 {0}：{1}</translation>
  </message>
  <message>
   <source>exit code {0}</source>
   <translation>退出码 {0}</translation>
  </message>
  <message>
   <source>profile {0}: no such profile; near it are {1}</source>
   <translation>画像 {0}：没有这样的画像；相近的有 {1}</translation>
  </message>
  <message>
   <source>calculated at memory utilization {0}: {1} GiB ({2}), weights {3} GiB over {4}, less activation, communication and graphs</source>
   <translation>按内存利用率 {0} 计算：{1} GiB（{2}），权重 {3} GiB 分布于 {4}，再减去激活、通信与图</translation>
  </message>
  <message>
   <source>profile name {0}: gpu/model/tpN would be right, as in h100_sxm/M/tp1</source>
   <translation>画像名称 {0}：应为 gpu/model/tpN，如 h100_sxm/M/tp1</translation>
  </message>
  <message>
   <source>, on the run it was chosen on</source>
   <translation>，在据以选择它的那次运行上</translation>
  </message>
  <message>
   <source>TTFT ±{0} %, TPOT ±{1} %, on the run it was chosen on</source>
   <translation>TTFT ±{0} %，TPOT ±{1} %，在据以选择它的那次运行上</translation>
  </message>
  <message>
   <source>profile {0}: at least two KV blocks of at least one token are needed</source>
   <translation>画像 {0}：至少需要两个 KV 块，每块至少一个 token</translation>
  </message>
  <message>
   <source>step model: {0}={1}: a time in microseconds, 0 or more, would be right</source>
   <translation>步模型：{0}={1}：应为微秒时间，0 或更大</translation>
  </message>
  <message>
   <source>step model {0}: {1}: each of a, b, c, d, e once, as in a=7429</source>
   <translation>步模型 {0}：{1}：a、b、c、d、e 各一次，如 a=7429</translation>
  </message>
  <message>
   <source>step model {0}: {1}: {2} is not a number</source>
   <translation>步模型 {0}：{1}：{2} 不是数字</translation>
  </message>
  <message>
   <source>step model {0}: {1} missing; all of a, b, c, d, e are needed</source>
   <translation>步模型 {0}：缺少 {1}；a、b、c、d、e 都需要</translation>
  </message>
  <message>
   <source>{0}: there is a file of this name already; it is not overwritten</source>
   <translation>{0}：已有同名文件；不予覆盖</translation>
  </message>
  <message>
   <source>{0}: a bench file can't be made here: {1}</source>
   <translation>{0}：无法在此建立基准文件：{1}</translation>
  </message>
  <message>
   <source>vLLM Workbench {0}</source>
   <translation>vLLM Workbench {0}</translation>
  </message>
  <message>
   <source>the disk is full; all that was stored before is kept</source>
   <translation>磁盘已满；此前存储的都已保留</translation>
  </message>
  <message>
   <source>another program holds this bench file; close it there first</source>
   <translation>另一程序正占用此基准文件；请先在那里关闭</translation>
  </message>
  <message>
   <source>can't be written to: it or its folder is read-only</source>
   <translation>无法写入：它或其文件夹是只读的</translation>
  </message>
  <message>
   <source>can't be opened: check that it and its folder may be read and written</source>
   <translation>无法打开：请检查它及其文件夹是否可读写</translation>
  </message>
  <message>
   <source>this bench file is damaged or cut short</source>
   <translation>此基准文件已损坏或被截断</translation>
  </message>
  <message>
   <source>not a bench file</source>
   <translation>不是基准文件</translation>
  </message>
  <message>
   <source>reading or writing failed ({0}); all that was stored before is kept</source>
   <translation>读写失败（{0}）；此前存储的都已保留</translation>
  </message>
  <message>
   <source>the bench file can't be used ({0})</source>
   <translation>此基准文件无法使用（{0}）</translation>
  </message>
  <message>
   <source>{0}: not a bench file (it is empty)</source>
   <translation>{0}：不是基准文件（它是空的）</translation>
  </message>
  <message>
   <source>{0}: not a bench file (no SQLite header)</source>
   <translation>{0}：不是基准文件（没有 SQLite 文件头）</translation>
  </message>
  <message>
   <source>no SQLite header</source>
   <translation>没有 SQLite 文件头</translation>
  </message>
  <message>
   <source>{0}: this bench file is cut short: {1} bytes</source>
   <translation>{0}：此基准文件被截断：{1} 字节</translation>
  </message>
  <message>
   <source>{0}: a SQLite file, but not a bench file of vLLM Workbench</source>
   <translation>{0}：是 SQLite 文件，但不是 vLLM Workbench 的基准文件</translation>
  </message>
  <message>
   <source>{0}: written by a newer vLLM Workbench (bench format {1}, this program reads up to {2}); update the program</source>
   <translation>{0}：由更新的 vLLM Workbench 写入（基准格式 {1}，本程序最高读 {2}）；请更新程序</translation>
  </message>
  <message>
   <source>{0}: this bench file is cut short: {1} bytes where {2} belong</source>
   <translation>{0}：此基准文件被截断：应有 {2} 字节，只有 {1} 字节</translation>
  </message>
  <message>
   <source>{0}: another run writes to this bench file (process {1}, since {2}); wait for it or choose another file</source>
   <translation>{0}：另一次运行正在写入此基准文件（进程 {1}，自 {2} 起）；请等它结束或另选文件</translation>
  </message>
  <message>
   <source>run {0} is of no experiment</source>
   <translation>运行 {0} 不属于任何实验</translation>
  </message>
  <message>
   <source>{0}: no run number {1}</source>
   <translation>{0}：没有编号为 {1} 的运行</translation>
  </message>
  <message>
   <source>requests have no {0}</source>
   <translation>请求没有 {0}</translation>
  </message>
  <message>
   <source>{0}: this bench file is damaged in {1}: {2}</source>
   <translation>{0}：此基准文件在 {1} 处损坏：{2}</translation>
  </message>
  <message>
   <source>{0}: {1} must be {2}, not {3}</source>
   <translation>{0}：{1} 必须是 {2}，而不是 {3}</translation>
  </message>
  <message>
   <source>{0}: must look like 8:2,16:6.5 (hours:requests a second)</source>
   <translation>{0}：必须写成 8:2,16:6.5 这样（小时：每秒请求数）</translation>
  </message>
  <message>
   <source>{0} curve: the demand needs stretches [hours, requests a second] of more than 0 hours with a rate of 0 to {1}</source>
   <translation>{0} curve：需求由若干段 [小时, 每秒请求数] 组成，每段长于 0 小时，速率为 0 至 {1}</translation>
  </message>
  <message>
   <source>curve: the demand needs stretches [hours, requests a second] of more than 0 hours with a rate of 0 to {0}</source>
   <translation>curve：需求由若干段 [小时, 每秒请求数] 组成，每段长于 0 小时，速率为 0 至 {0}</translation>
  </message>
  <message>
   <source>{0} curve: nothing is demanded in any of its stretches</source>
   <translation>{0} curve：各段都没有需求</translation>
  </message>
  <message>
   <source>curve: nothing is demanded in any of its stretches</source>
   <translation>curve：各段都没有需求</translation>
  </message>
  <message>
   <source>{0} headroom must be between 0 and {1}, not {2}</source>
   <translation>{0} headroom 必须在 0 与 {1} 之间，不能是 {2}</translation>
  </message>
  <message>
   <source>headroom must be between 0 and {0}, not {1}</source>
   <translation>headroom 必须在 0 与 {0} 之间，不能是 {1}</translation>
  </message>
  <message>
   <source>{0} spare must not be negative, not {1}</source>
   <translation>{0} spare 不能为负，不能是 {1}</translation>
  </message>
  <message>
   <source>spare must not be negative, not {0}</source>
   <translation>spare 不能为负，不能是 {0}</translation>
  </message>
  <message>
   <source>{0} servers must be at least 1, not {1}</source>
   <translation>{0} servers 至少为 1，不能是 {1}</translation>
  </message>
  <message>
   <source>servers must be at least 1, not {0}</source>
   <translation>servers 至少为 1，不能是 {0}</translation>
  </message>
  <message>
   <source>requests: column {0} must hold text only</source>
   <translation>requests：列 {0} 只能含文本</translation>
  </message>
  <message>
   <source>requests: column {0} must hold numbers only</source>
   <translation>请求：列 {0} 只能含数字</translation>
  </message>
  <message>
   <source>requests: column {0} must hold numbers only, and none beyond {1}</source>
   <translation>requests：列 {0} 只能含数字，且不得超过 {1}</translation>
  </message>
  <message>
   <source>requests: column {0} must hold bytes, {1} for each gap</source>
   <translation>请求：列 {0} 必须含字节，每个间隔 {1} 个</translation>
  </message>
  <message>
   <source>{0} finite edges need {1} counts, got {2}</source>
   <translation>{0} 个有限边界需要 {1} 个计数，却得到 {2} 个</translation>
  </message>
  <message>
   <source>histogram edges must ascend</source>
   <translation>直方图的边界须递增</translation>
  </message>
  <message>
   <source>a histogram's bucket shrank: the server restarted between two scrapes</source>
   <translation>直方图的一个桶变小：服务器在两次抓取之间重启过</translation>
  </message>
  <message>
   <source>histograms with different buckets can't be combined: {0} edges up to {1}, {2} up to {3}</source>
   <translation>桶不同的直方图不能合并：{0} 个边界到 {1}，{2} 个到 {3}</translation>
  </message>
  <message>
   <source>{0} per 1,000 accepted responses</source>
   <translation>每 1,000 个合格响应 {0}</translation>
  </message>
  <message>
   <source>{0} of the requests accepted</source>
   <translation>合格的请求占 {0}</translation>
  </message>
  <message>
   <source>all objectives</source>
   <translation>全部目标</translation>
  </message>
  <message>
   <source>all objectives overall and in the classes that could be judged</source>
   <translation>全部目标，总体以及能够判定的各类别</translation>
  </message>
  <message>
   <source>all objectives overall; classes not judged</source>
   <translation>全部目标，总体；各类别未判定</translation>
  </message>
  <message>
   <source>cost per 1,000 accepted responses</source>
   <translation>每 1,000 个合格响应的成本</translation>
  </message>
  <message>
   <source>accepted responses a second (no price is stated)</source>
   <translation>每秒合格响应数（未说明价格）</translation>
  </message>
  <message>
   <source>cost is</source>
   <translation>成本</translation>
  </message>
  <message>
   <source>no price is stated, accepted responses a second are</source>
   <translation>未说明价格，每秒合格响应数</translation>
  </message>
  <message>
   <source>{0} (cost is equal within 1 %)</source>
   <translation>{0}（成本在 1 % 以内相同）</translation>
  </message>
  <message>
   <source>{0} (no price is stated, accepted responses a second are equal within 1 %)</source>
   <translation>{0}（未说明价格，每秒合格响应数在 1 % 以内相同）</translation>
  </message>
  <message>
   <source>margin to the objectives</source>
   <translation>距目标的余量</translation>
  </message>
  <message>
   <source>the order of the runs, all else being equal</source>
   <translation>运行的次序，其他都相同</translation>
  </message>
  <message>
   <source>rejects {0}</source>
   <translation>拒绝 {0}</translation>
  </message>
  <message>
   <source>meets the latency objectives, but </source>
   <translation>满足延迟目标，但</translation>
  </message>
  <message>
   <source>meets the latency objectives, but {0}: state an error_rate objective to decide</source>
   <translation>满足延迟目标，但{0}：请说明 error_rate 目标再作决定</translation>
  </message>
  <message>
   <source>{0}: state an error_rate objective to decide</source>
   <translation>{0}：请说明 error_rate 目标再作决定</translation>
  </message>
  <message>
   <source>{0}: the load is past its capacity</source>
   <translation>{0}：负载超过其容量</translation>
  </message>
  <message>
   <source>quality {0}</source>
   <translation>质量 {0}</translation>
  </message>
  <message>
   <source>and {0} more</source>
   <translation>，另有 {0} 个</translation>
  </message>
  <message>
   <source>a run</source>
   <translation>一次运行</translation>
  </message>
  <message>
   <source>class {0}</source>
   <translation>类别 {0}</translation>
  </message>
  <message>
   <source>not measured in every run</source>
   <translation>并非每次运行都测到</translation>
  </message>
  <message>
   <source>, from one run each</source>
   <translation>，各只运行一次</translation>
  </message>
  <message>
   <source>no run of the baseline is valid</source>
   <translation>基线没有有效的运行</translation>
  </message>
  <message>
   <source>no run of the variant is valid</source>
   <translation>变体没有有效的运行</translation>
  </message>
  <message>
   <source>the baseline</source>
   <translation>基线</translation>
  </message>
  <message>
   <source>the variant</source>
   <translation>变体</translation>
  </message>
  <message>
   <source>TTFT climbs by {0} s a second; the baseline is stable, from one run each</source>
   <translation>TTFT 每秒上升 {0} s；基线稳定，各只运行一次</translation>
  </message>
  <message>
   <source>TTFT climbs by {0} s a second; the baseline is stable</source>
   <translation>TTFT 每秒上升 {0} s；基线稳定</translation>
  </message>
  <message>
   <source>stable where the baseline's TTFT climbs by {0} s a second, from one run each</source>
   <translation>稳定，而基线的 TTFT 每秒上升 {0} s，各只运行一次</translation>
  </message>
  <message>
   <source>stable where the baseline's TTFT climbs by {0} s a second</source>
   <translation>稳定，而基线的 TTFT 每秒上升 {0} s</translation>
  </message>
  <message>
   <source>both diverge, so percentiles measure the length of the run; compare at a lower rate</source>
   <translation>两者都发散，百分位因此只量出运行的长度；请在更低的速率下比较</translation>
  </message>
  <message>
   <source>one run</source>
   <translation>一次运行</translation>
  </message>
  <message>
   <source>{0} runs</source>
   <translation>{0} 次运行</translation>
  </message>
  <message>
   <source>one run each</source>
   <translation>各一次运行</translation>
  </message>
  <message>
   <source>{0} runs each</source>
   <translation>各 {0} 次运行</translation>
  </message>
  <message>
   <source>one run against {0}</source>
   <translation>一次运行对 {0} 次</translation>
  </message>
  <message>
   <source>{0} runs against {1}</source>
   <translation>{0} 次运行对 {1} 次</translation>
  </message>
  <message>
   <source>what a restart changes is assumed ({0} %), not seen: {1} repeats would show it</source>
   <translation>重启带来的变化是假定的（{0} %），并未看到：重复 {1} 次才看得出</translation>
  </message>
  <message>
   <source>what a restart changes is partly assumed ({0} %), from {1}: {2} repeats would show it</source>
   <translation>重启带来的变化部分是假定的（{0} %），据 {1}：重复 {2} 次才看得出</translation>
  </message>
  <message>
   <source>{0} not known (limit {1})</source>
   <translation>{0} 未知（限制 {1}）</translation>
  </message>
  <message>
   <source>{0}: so few requests leave up to {1} possible (limit {2})</source>
   <translation>{0}：这么少的请求使多达 {1} 仍有可能（限值 {2}）</translation>
  </message>
  <message>
   <source>{0} not judged: {1}</source>
   <translation>{0} 未判定：{1}</translation>
  </message>
  <message>
   <source>{0} has {1}, {2} are needed for a p95</source>
   <translation>{0} 有 {1}，p95 需要 {2} 个</translation>
  </message>
  <message>
   <source>{0} has {1} with that figure, {2} are needed for a p95</source>
   <translation>{0} 有 {1} 带该数字，p95 需要 {2} 个</translation>
  </message>
  <message>
   <source>requests of class {0} were open at the end, so it is at least {1}</source>
   <translation>类别 {0} 的请求在结束时仍未结束，因此至少为 {1}</translation>
  </message>
  <message>
   <source>not measured for class {0}</source>
   <translation>类别 {0} 未测到</translation>
  </message>
  <message>
   <source>{0} request</source>
   <translation>{0} 个请求</translation>
  </message>
  <message>
   <source>{0} requests</source>
   <translation>{0} 个请求</translation>
  </message>
  <message>
   <source>{0} {1} lies within the profile's known error (±{2} %) of its limit {3}: on a real server undecided</source>
   <translation>{0} {1} 与其限制 {3} 之差在画像的已知误差（±{2} %）之内：在真实服务器上未定</translation>
  </message>
  <message>
   <source>{0} {1} could be up to {2} with other requests of the same kind, beyond its limit {3}: more of them, or repeats, would tell</source>
   <translation>{0} {1} 在换成同类的其他请求时可能高达 {2}，超出限值 {3}：更多请求或重复运行才能分辨</translation>
  </message>
  <message>
   <source>no difference</source>
   <translation>无差异</translation>
  </message>
  <message>
   <source>{0}; also moved: {1}</source>
   <translation>{0}；另有变动：{1}</translation>
  </message>
  <message>
   <source>{0}: {1} ({2} to {3})</source>
   <translation>{0}：{1}（{2} 至 {3}）</translation>
  </message>
  <message>
   <source>{0}: {1} ({2} to {3}; {4})</source>
   <translation>{0}：{1}（{2} 至 {3}；{4}）</translation>
  </message>
  <message>
   <source>{0} to {1}, 95 % interval of the change {2} to {3}</source>
   <translation>{0} 至 {1}，变化的 95 % 区间 {2} 至 {3}</translation>
  </message>
  <message>
   <source>{0}: {1} ({2} to {3}, 95 % interval of the change {4} to {5}{6})</source>
   <translation>{0}：{1}（{2} 至 {3}，变化的 95 % 区间 {4} 至 {5}{6}）</translation>
  </message>
  <message>
   <source>below the {0} ms that this client can resolve</source>
   <translation>低于此客户端能分辨的 {0} ms</translation>
  </message>
  <message>
   <source>no difference above {0}, from {1}</source>
   <translation>差异不超过 {0}，据{1}</translation>
  </message>
  <message>
   <source>{0}: repeat to know</source>
   <translation>{0}：重复才能知道</translation>
  </message>
  <message>
   <source>can't tell yet; about {0} more minutes would</source>
   <translation>尚不能判断；再测约 {0} 分钟即可</translation>
  </message>
  <message>
   <source>{0}, from {1}</source>
   <translation>{0}，据 {1}</translation>
  </message>
  <message>
   <source>diverging, TTFT +{0} s per s</source>
   <translation>发散，TTFT 每秒 +{0} s</translation>
  </message>
  <message>
   <source>{0} of {1} requests unanswered after the drain</source>
   <translation>排空之后 {1} 个请求中有 {0} 个未得到回答</translation>
  </message>
  <message>
   <source>{0} requests, about {1} tell</source>
   <translation>{0} 个请求，约需 {1} 个才能判断</translation>
  </message>
  <message>
   <source>TTFT's drift wasn't told</source>
   <translation>没有告知 TTFT 的漂移</translation>
  </message>
  <message>
   <source>not known whether the load is past capacity: {0} requests, about {1} tell</source>
   <translation>不知道负载是否超过容量：{0} 个请求，约需 {1} 个才能判断</translation>
  </message>
  <message>
   <source>not known whether the load is past capacity: TTFT's drift wasn't told</source>
   <translation>不知道负载是否超过容量：没有告知 TTFT 的漂移</translation>
  </message>
  <message>
   <source>asking {0}</source>
   <translation>正在询问 {0}</translation>
  </message>
  <message>
   <source>no metrics: {0}</source>
   <translation>没有指标：{0}</translation>
  </message>
  <message>
   <source>[target] url</source>
   <translation>[target] url</translation>
  </message>
  <message>
   <source>{0} {1}: must look like http://HOST:PORT or https://HOST/PATH</source>
   <translation>{0} {1}：须形如 http://HOST:PORT 或 https://HOST/PATH</translation>
  </message>
  <message>
   <source>output of {0}</source>
   <translation>{0} 的输出</translation>
  </message>
  <message>
   <source>{0}: can't be executed: {1}</source>
   <translation>{0}：无法执行：{1}</translation>
  </message>
  <message>
   <source>{0}: vLLM {1} has no {2}</source>
   <translation>{0}：vLLM {1} 没有 {2}</translation>
  </message>
  <message>
   <source>[target] args</source>
   <translation>[target] args</translation>
  </message>
  <message>
   <source>[target] env</source>
   <translation>[target] env</translation>
  </message>
  <message>
   <source>[target] args: {0} is a control; set {1} in [baseline] instead</source>
   <translation>[target] args：{0} 是控制项；请改在 [baseline] 中设 {1}</translation>
  </message>
  <message>
   <source>[target] args: {0} is set by this program: a server of ours is local</source>
   <translation>[target] args：{0} 由本程序设定：我们的服务器在本机</translation>
  </message>
  <message>
   <source>[target] args: {0}: a server of ours is spoken to over plain HTTP on 127.0.0.1; start it yourself and attach to it</source>
   <translation>[target] args：{0}：本程序启动的服务器只通过 127.0.0.1 上的明文 HTTP 访问；请自行启动它，再以附加方式使用</translation>
  </message>
  <message>
   <source>[target] record_steps: vLLM {0} has no {1}</source>
   <translation>[target] record_steps：vLLM {0} 没有 {1}</translation>
  </message>
  <message>
   <source>[target] live_limits: vLLM {0} has no {1}</source>
   <translation>[target] live_limits：vLLM {0} 没有 {1}</translation>
  </message>
  <message>
   <source>[target] args: {0} and record_steps exclude each other</source>
   <translation>[target] args：{0} 与 record_steps 互斥</translation>
  </message>
  <message>
   <source>[target] args: {0} and live_limits exclude each other</source>
   <translation>[target] args：{0} 与 live_limits 互斥</translation>
  </message>
  <message>
   <source>; SELinux is enforcing on this machine and hides what is mounted: set security_opt = ["label=disable"] in [target], or label the folder for containers (`:z` at the end of its mount does, for good)</source>
   <translation>；本机的 SELinux 处于强制模式，遮住了所挂载的内容：请在 [target] 中设 security_opt = ["label=disable"]，或为容器标记该文件夹（在其挂载末尾加 `:z` 即可，且永久有效）</translation>
  </message>
  <message>
   <source>[target] kind 'container' needs Linux; start it yourself and attach to it</source>
   <translation>[target] kind 'container' 需要 Linux；请自行启动后外接</translation>
  </message>
  <message>
   <source>[target] image {0}</source>
   <translation>[target] image {0}</translation>
  </message>
  <message>
   <source>{0} doesn't answer or doesn't end it; `{1} rm -f {2}` does once it can, and so do the next start of a container and `doctor --clean`</source>
   <translation>{0} 没有回答或没有结束它；`{1} rm -f {2}` 在其能应答后可结束它，下一次启动容器与 `doctor --clean` 亦可</translation>
  </message>
  <message>
   <source>{0} isn't here ({1}); pulling it, which takes a while</source>
   <translation>{0} 不在此处（{1}）；正在拉取，需要一些时间</translation>
  </message>
  <message>
   <source>[target] image {0}: {1}</source>
   <translation>[target] image {0}：{1}</translation>
  </message>
  <message>
   <source>image inspect</source>
   <translation>image inspect</translation>
  </message>
  <message>
   <source> (it said: {0})</source>
   <translation>（它说：{0}）</translation>
  </message>
  <message>
   <source>[target] image {0}: {1} {2} told no {3} (it said: {4})</source>
   <translation>[target] image {0}：{1} {2} 没有告知 {3}（它说：{4}）</translation>
  </message>
  <message>
   <source>[target] image {0}: {1} {2} told no {3}</source>
   <translation>[target] image {0}：{1} {2} 没有告知 {3}</translation>
  </message>
  <message>
   <source>[target] image {0}: no vLLM in it: {1}</source>
   <translation>[target] image {0}：其中没有 vLLM：{1}</translation>
  </message>
  <message>
   <source>run of {0}</source>
   <translation>运行 {0}</translation>
  </message>
  <message>
   <source>version of vLLM</source>
   <translation>vLLM 的版本</translation>
  </message>
  <message>
   <source>{0}: its flags can't be read; it said: {1}{2}</source>
   <translation>{0}：读不到它的参数；它说：{1}{2}</translation>
  </message>
  <message>
   <source>[target] image {0}: {1} run of {2} wrote no flags</source>
   <translation>[target] image {0}：{1} 运行 {2} 没有写出参数</translation>
  </message>
  <message>
   <source>ending what an earlier run left behind: {0}: {1}</source>
   <translation>正在结束先前运行的遗留：{0}：{1}</translation>
  </message>
  <message>
   <source>[target] kind 'container': no {0} here; install one or name it: executable</source>
   <translation>[target] kind 'container'：此处没有 {0}；请安装一个，或指定：executable</translation>
  </message>
  <message>
   <source>see whether `{0} ps` answers; if not, restart its service</source>
   <translation>看 `{0} ps` 是否有回答；若没有，请重启其服务</translation>
  </message>
  <message>
   <source>container {0}</source>
   <translation>容器 {0}</translation>
  </message>
  <message>
   <source>give the address of vLLM's own HTTP server, such as http://HOST:8000</source>
   <translation>请给出 vLLM 自身 HTTP 服务器的地址，例如 http://HOST:8000</translation>
  </message>
  <message>
   <source>{0}: /health answers 503: its engine is dead or not ready</source>
   <translation>{0}：/health 回答 503：其引擎已停止或未就绪</translation>
  </message>
  <message>
   <source>{0}: the server refuses the key ({1} {2}); name the variable that holds it with api_key_env</source>
   <translation>{0}：服务器拒绝密钥（{1} {2}）；请用 api_key_env 指定存放它的变量</translation>
  </message>
  <message>
   <source>{0}: not an OpenAI server: /v1/models answers {1}; {2}</source>
   <translation>{0}：不是 OpenAI 服务器：/v1/models 应答 {1}；{2}</translation>
  </message>
  <message>
   <source>{0}: not an OpenAI server: /v1/models lists no model; {1}</source>
   <translation>{0}：不是 OpenAI 服务器：/v1/models 没有列出模型；{1}</translation>
  </message>
  <message>
   <source>{0}/metrics: answers {1}</source>
   <translation>{0}/metrics：回答 {1}</translation>
  </message>
  <message>
   <source>{0}{1}: no answer within {2} s; see whether its model is still loading, or it has more requests than it can serve</source>
   <translation>{0}{1}：{2} s 内没有应答；请看其模型是否仍在加载，或请求是否多于其所能承担</translation>
  </message>
  <message>
   <source>{0}: nobody answers there: {1}</source>
   <translation>{0}：那里无人应答：{1}</translation>
  </message>
  <message>
   <source>{0}: not an HTTP server that can be measured: {1}</source>
   <translation>{0}：不是可测量的 HTTP 服务器：{1}</translation>
  </message>
  <message>
   <source>{0}{1} is not modelled by the embedded engine; it needs a real vLLM</source>
   <translation>{0}内置引擎不模拟 {1}；它需要真实的 vLLM</translation>
  </message>
  <message>
   <source>starting the embedded engine</source>
   <translation>正在启动内置引擎</translation>
  </message>
  <message>
   <source>[target] live_limits: this system has no Unix sockets</source>
   <translation>[target] live_limits：本系统没有 Unix 套接字</translation>
  </message>
  <message>
   <source>live_limits isn't set in [target]</source>
   <translation>[target] 中没有设 live_limits</translation>
  </message>
  <message>
   <source>{0} can't be changed while the server runs: live_limits isn't set</source>
   <translation>服务器运行时不能更改 {0}：没有设 live_limits</translation>
  </message>
  <message>
   <source>{0} can't be changed while the server runs; these can: {1}</source>
   <translation>服务器运行时不能更改 {0}；可以更改的有：{1}</translation>
  </message>
  <message>
   <source>the engine takes no orders: its socket isn't there</source>
   <translation>引擎不接受指令：其套接字不在</translation>
  </message>
  <message>
   <source>this server has no such limit</source>
   <translation>此服务器没有这样的限制</translation>
  </message>
  <message>
   <source>the engine took no order within {0} s</source>
   <translation>引擎在 {0} s 内没有接受指令</translation>
  </message>
  <message>
   <source>the engine takes no orders: {0}</source>
   <translation>引擎不接受指令：{0}</translation>
  </message>
  <message>
   <source>{0}: {1} belongs to no flag</source>
   <translation>{0}：{1} 不属于任何参数</translation>
  </message>
  <message>
   <source>is nothing: only a flag that takes JSON has keys</source>
   <translation>不成立：只有接受 JSON 的参数才有键</translation>
  </message>
  <message>
   <source>takes one value</source>
   <translation>只接受一个值</translation>
  </message>
  <message>
   <source>takes no value, and {0} is one</source>
   <translation>不接受值，而 {0} 是一个值</translation>
  </message>
  <message>
   <source>needs a value</source>
   <translation>需要一个值</translation>
  </message>
  <message>
   <source>takes one value, and {0} is another</source>
   <translation>只接受一个值，而 {0} 是多出的一个</translation>
  </message>
  <message>
   <source>{0}, not {1}</source>
   <translation>{0}，而不是 {1}</translation>
  </message>
  <message>
   <source>takes {0}</source>
   <translation>接受 {0}</translation>
  </message>
  <message>
   <source>takes JSON</source>
   <translation>接受 JSON</translation>
  </message>
  <message>
   <source>takes a whole number, also as 4k, 2.5k or 4K</source>
   <translation>接受整数，也可写作 4k、2.5k 或 4K</translation>
  </message>
  <message>
   <source>, also as 4k, 2.5k or 4K</source>
   <translation>，也可写作 4k、2.5k 或 4K</translation>
  </message>
  <message>
   <source> or {0}</source>
   <translation> 或 {0}</translation>
  </message>
  <message>
   <source>takes a number{0}</source>
   <translation>接受数字{0}</translation>
  </message>
  <message>
   <source>takes a whole number{0}</source>
   <translation>接受整数{0}</translation>
  </message>
  <message>
   <source>{0} and {1} others</source>
   <translation>{0} 以及另外 {1} 个</translation>
  </message>
  <message>
   <source>{0} or {1}</source>
   <translation>{0} 或 {1}</translation>
  </message>
  <message>
   <source>{0}: vLLM {1} has no {2}; did you mean {3}?</source>
   <translation>{0}：vLLM {1} 没有 {2}；是否想用 {3}？</translation>
  </message>
  <message>
   <source>{0}: vLLM {1} reads no {2}; did you mean {3}?</source>
   <translation>{0}：vLLM {1} 不读取 {2}；是否想用 {3}？</translation>
  </message>
  <message>
   <source>{0}: its flags can't be read: what was written is no list of them</source>
   <translation>{0}：读不到它的参数：写出的不是参数列表</translation>
  </message>
  <message>
   <source>{0}: its flags can't be read; it said: {1}</source>
   <translation>{0}：读不到它的参数；它说：{1}</translation>
  </message>
  <message>
   <source>{0}: the same header twice, written in two ways</source>
   <translation>{0}：同一请求头以两种写法出现两次</translation>
  </message>
  <message>
   <source>{0} {1}: not a header's name</source>
   <translation>{0} {1}：不是请求头的名称</translation>
  </message>
  <message>
   <source>{0} {1}: is set by this program</source>
   <translation>{0} {1}：由本程序设定</translation>
  </message>
  <message>
   <source>{0} {1}: its value holds characters that HTTP can't carry</source>
   <translation>{0} {1}：其值含 HTTP 不能承载的字符</translation>
  </message>
  <message>
   <source>{0} {1}: looks like a secret; put it into a variable and give {2}VARIABLE</source>
   <translation>{0} {1}：看似密钥；请放入变量并给出 {2}VARIABLE</translation>
  </message>
  <message>
   <source>{0} {1}: the environment has no {2}</source>
   <translation>{0} {1}：环境中没有 {2}</translation>
  </message>
  <message>
   <source>{0}: must hold no user, password or query string, for it is stored and shown: name the variable that holds the key (api_key_env), or give a header the value env:VARIABLE (headers)</source>
   <translation>{0}：不得含用户名、密码或查询串，因为它会被存储和显示：请指定存放密钥的变量（api_key_env），或给请求头以值 env:VARIABLE（headers）</translation>
  </message>
  <message>
   <source>{0}: not vLLM: its Python {1} has no distribution named vllm; [target] executable names the script, the Python or the folder of an environment that has it</source>
   <translation>{0}：不是 vLLM：其 Python {1} 没有名为 vllm 的发行包；[target] executable 应指出装有它的环境的脚本、Python 或文件夹</translation>
  </message>
  <message>
   <source>{0}: no such file; this environment has vLLM {1} without its script</source>
   <translation>{0}：没有这样的文件；此环境有 vLLM {1} 而没有其脚本</translation>
  </message>
  <message>
   <source>[target] executable {0}: no such file, folder or command</source>
   <translation>[target] executable {0}：没有这样的文件、文件夹或命令</translation>
  </message>
  <message>
   <source>{0}: not vLLM's script: neither its first line nor its folder names a Python</source>
   <translation>{0}：不是 vLLM 的脚本：其首行与所在文件夹都未指出 Python</translation>
  </message>
  <message>
   <source>[target] api_key_env: the environment has no {0}, and the keyring neither; `python -m workbench doctor --keep-key {1}` keeps it there</source>
   <translation>[target] api_key_env：环境中没有 {0}，密钥环中也没有；`python -m workbench doctor --keep-key {1}` 可存入其中</translation>
  </message>
  <message>
   <source>no keyring of this system is usable: the key is not kept; set the variable instead</source>
   <translation>本系统没有可用的密钥环：密钥未保留；请改设变量</translation>
  </message>
  <message>
   <source>the keyring refuses: {0}</source>
   <translation>密钥环拒绝：{0}</translation>
  </message>
  <message>
   <source>ending what an earlier run left behind: {0}</source>
   <translation>正在结束先前运行的遗留：{0}</translation>
  </message>
  <message>
   <source>still living: {0}</source>
   <translation>仍在运行：{0}</translation>
  </message>
  <message>
   <source>what is left should this program be killed isn't found again: {0}</source>
   <translation>如果本程序被强制结束，遗留的内容将无法再找到：{0}</translation>
  </message>
  <message>
   <source>there is no step record: this vLLM has loaded no stat logger of ours</source>
   <translation>没有步记录：此 vLLM 没有加载我们的统计记录器</translation>
  </message>
  <message>
   <source>the server wasn't ready within {0} s</source>
   <translation>服务器未在 {0} s 内就绪</translation>
  </message>
  <message>
   <source>still living: {0}; {1}</source>
   <translation>仍在运行：{0}；{1}</translation>
  </message>
  <message>
   <source>can't be removed: {0}</source>
   <translation>无法删除：{0}</translation>
  </message>
  <message>
   <source>they were killed, and the system doesn't let go of them: look with `ps -p {0}`</source>
   <translation>它们已被杀死，而系统没有放开它们：请用 `ps -p {0}` 查看</translation>
  </message>
  <message>
   <source>{0}: serves no model {1}; it serves {2}</source>
   <translation>{0}：不提供模型 {1}；它提供 {2}</translation>
  </message>
  <message>
   <source>{0}: said more than {1} MiB, which is no answer</source>
   <translation>{0}：说了超过 {1} MiB，不成回答</translation>
  </message>
  <message>
   <source>only a server that this program starts takes new limits</source>
   <translation>只有本程序启动的服务器才接受新的限制</translation>
  </message>
  <message>
   <source>{0} can't be changed to {1}: {2}</source>
   <translation>{0} 不能改为 {1}：{2}</translation>
  </message>
  <message>
   <source>no such limit</source>
   <translation>没有这样的限制</translation>
  </message>
  <message>
   <source>[target] host {0}: must look like HOST, USER@HOST or USER@HOST:PORT</source>
   <translation>[target] host {0}：须形如 HOST、USER@HOST 或 USER@HOST:PORT</translation>
  </message>
  <message>
   <source>{0}: the connection dropped: {1}</source>
   <translation>{0}：连接断开：{1}</translation>
  </message>
  <message>
   <source>{0}: no command began within {1} s</source>
   <translation>{0}：{1} s 内没有命令开始</translation>
  </message>
  <message>
   <source>{0}: files weren't copied within {1} s</source>
   <translation>{0}：{1} s 内没有复制完文件</translation>
  </message>
  <message>
   <source>{0}: files can't be copied there: {1}</source>
   <translation>{0}：无法把文件复制到那里：{1}</translation>
  </message>
  <message>
   <source>{0}: {1} can't be forwarded: {2}</source>
   <translation>{0}：无法转发 {1}：{2}</translation>
  </message>
  <message>
   <source>{0}: no connection within {1} s</source>
   <translation>{0}：{1} s 内没有建立连接</translation>
  </message>
  <message>
   <source>{0}: the key can't be used: {1}; ssh-add unlocks it</source>
   <translation>{0}：密钥无法使用：{1}；ssh-add 可解锁</translation>
  </message>
  <message>
   <source>{0}: can't be reached: {1}</source>
   <translation>{0}：无法到达：{1}</translation>
  </message>
  <message>
   <source>{0}: it doesn't let us in: {1}</source>
   <translation>{0}：它不让我们进入：{1}</translation>
  </message>
  <message>
   <source>{0}: it doesn't let us in: {1}; {2} has a passphrase: ssh-add {3} unlocks it for this session</source>
   <translation>{0}：它不让我们进入：{1}；{2} 有口令：ssh-add {3} 可在此会话中解锁</translation>
  </message>
  <message>
   <source>{0}: it doesn't let us in: {1}; see whether `ssh {2}` works without a password, or add the key with ssh-copy-id</source>
   <translation>{0}：它不让我们进入：{1}；请看 `ssh {2}` 是否无需密码即可用，或用 ssh-copy-id 添加密钥</translation>
  </message>
  <message>
   <source>{0}: its host key is another one than before: it may not be the machine you mean; if you know why, ssh-keygen -R {1} forgets the old one</source>
   <translation>{0}：其主机密钥与以前不同：可能不是您想要的机器；若知道缘由，ssh-keygen -R {1} 可忘掉旧的</translation>
  </message>
  <message>
   <source>{0}: its host key is not known; connect once with `ssh {1}` and confirm it</source>
   <translation>{0}：其主机密钥未知；请用 `ssh {1}` 连接一次并确认</translation>
  </message>
  <message>
   <source>[target] kind 'ssh' needs the package asyncssh: pip install 'vllm-workbench[ssh]'</source>
   <translation>[target] kind 'ssh' 需要软件包 asyncssh：pip install 'vllm-workbench[ssh]'</translation>
  </message>
  <message>
   <source>a server on {0}, which isn't reachable</source>
   <translation>{0} 上的一台服务器，而它无法到达</translation>
  </message>
  <message>
   <source>the keeper failed</source>
   <translation>看守进程失败</translation>
  </message>
  <message>
   <source>{0}: the keeper's answer can't be read: {1}</source>
   <translation>{0}：看守进程的回答无法读取：{1}</translation>
  </message>
  <message>
   <source>the connection to {0} dropped; connecting again</source>
   <translation>到 {0} 的连接断开；正在重新连接</translation>
  </message>
  <message>
   <source>vLLM {0}: {1}: {2}</source>
   <translation>vLLM {0}：{1}：{2}</translation>
  </message>
  <message>
   <source>`ssh {0} kill {1}` does, and so do </source>
   <translation>可用 `ssh {0} kill {1}`，亦可用</translation>
  </message>
  <message>
   <source>these do: </source>
   <translation>可用：</translation>
  </message>
  <message>
   <source>it wasn't ended; `ssh {0} kill {1}` does, and so do the next start there and `doctor --clean`</source>
   <translation>它没有被结束；`ssh {0} kill {1}` 可结束它，那里的下一次启动与 `doctor --clean` 亦可</translation>
  </message>
  <message>
   <source>it wasn't ended; these do: the next start there and `doctor --clean`</source>
   <translation>它没有被结束；那里的下一次启动与 `doctor --clean` 可结束它</translation>
  </message>
  <message>
   <source>the step record stays there: {0}</source>
   <translation>步记录留在那里：{0}</translation>
  </message>
  <message>
   <source>{0}: needs a python3 from 3.9 on: {1}</source>
   <translation>{0}：需要 3.9 或更新的 python3：{1}</translation>
  </message>
  <message>
   <source>{0}: its shell says more than it is asked ({1}): what starts it, such as ~/.bashrc, must print nothing where nobody sits at a terminal</source>
   <translation>{0}：其 shell 说的多于所问（{1}）：其启动文件，如 ~/.bashrc，在无人于终端前时不得打印任何内容</translation>
  </message>
  <message>
   <source>[target] executable: {0}</source>
   <translation>[target] executable：{0}</translation>
  </message>
  <message>
   <source>ending what an earlier run left on {0}: {1}</source>
   <translation>正在结束先前运行在 {0} 上的遗留：{1}</translation>
  </message>
  <message>
   <source>[target] headers</source>
   <translation>[target] headers</translation>
  </message>
  <message>
   <source>{0}: [target] {1} is missing: kind {2} needs it</source>
   <translation>{0}：缺少 [target] {1}：kind {2} 需要它</translation>
  </message>
  <message>
   <source>[target] {0} is missing: kind {1} needs it</source>
   <translation>缺少 [target] {0}：kind {1} 需要它</translation>
  </message>
  <message>
   <source>{0}: [target] {1} means nothing for kind {2}; remove it</source>
   <translation>{0}：[target] {1} 对 kind {2} 没有意义；请去掉</translation>
  </message>
  <message>
   <source>[target] {0} means nothing for kind {1}; remove it</source>
   <translation>[target] {0} 对 kind {1} 没有意义；请去掉</translation>
  </message>
  <message>
   <source>{0}: [target] time_scale must be above 0 and at most 1000, not {1}</source>
   <translation>{0}：[target] time_scale 必须大于 0 且不超过 1000，而不是 {1}</translation>
  </message>
  <message>
   <source>[target] time_scale must be above 0 and at most 1000, not {0}</source>
   <translation>[target] time_scale 必须大于 0 且不超过 1000，而不是 {0}</translation>
  </message>
  <message>
   <source>{0}: [target] record_steps: the embedded engine has no stat loggers; true records its steps</source>
   <translation>{0}：[target] record_steps：内置引擎没有统计记录器；true 即记录它的步</translation>
  </message>
  <message>
   <source>[target] record_steps: the embedded engine has no stat loggers; true records its steps</source>
   <translation>[target] record_steps：内置引擎没有统计记录器；true 即记录它的步</translation>
  </message>
  <message>
   <source>{0}: [target] headers</source>
   <translation>{0}：[target] headers</translation>
  </message>
  <message>
   <source>{0}: [target] url</source>
   <translation>{0}：[target] url</translation>
  </message>
  <message>
   <source>{0}: no series of vLLM in it; another service's, or vLLM with --disable-log-stats</source>
   <translation>{0}：其中没有 vLLM 的序列；是别的服务，或 vLLM 带 --disable-log-stats</translation>
  </message>
  <message>
   <source>{0}: cut off at {1}</source>
   <translation>{0}：在 {1} 处被截断</translation>
  </message>
  <message>
   <source>{0}: not a metrics page: {1}</source>
   <translation>{0}：不是指标页：{1}</translation>
  </message>
  <message>
   <source>{0} has no buckets</source>
   <translation>{0} 没有桶</translation>
  </message>
  <message>
   <source>{0} is cut off</source>
   <translation>{0} 被截断</translation>
  </message>
  <message>
   <source>the buckets of {0} contradict each other</source>
   <translation>{0} 的桶互相矛盾</translation>
  </message>
  <message>
   <source>hardware slowdown</source>
   <translation>硬件降频</translation>
  </message>
  <message>
   <source>thermal, by software</source>
   <translation>过热，由软件限制</translation>
  </message>
  <message>
   <source>thermal, by hardware</source>
   <translation>过热，由硬件限制</translation>
  </message>
  <message>
   <source>power brake</source>
   <translation>电源制动</translation>
  </message>
  <message>
   <source>nvidia-ml-py is not installed</source>
   <translation>未安装 nvidia-ml-py</translation>
  </message>
  <message>
   <source>NVML: {0}</source>
   <translation>NVML：{0}</translation>
  </message>
  <message>
   <source>{0}{1}: more than {2} bytes</source>
   <translation>{0}{1}：超过 {2} 字节</translation>
  </message>
  <message>
   <source>metrics page</source>
   <translation>指标页</translation>
  </message>
  <message>
   <source>{0}/metrics: {1}</source>
   <translation>{0}/metrics：{1}</translation>
  </message>
  <message>
   <source>{0}/metrics: answered {1}</source>
   <translation>{0}/metrics：回答了 {1}</translation>
  </message>
  <message>
   <source>arrivals {0}: one of trace, {1}</source>
   <translation>arrivals {0}：须为 trace、{1} 之一</translation>
  </message>
  <message>
   <source>a number above 0 (1 is Poisson, below 1 comes in bursts)</source>
   <translation>大于 0 的数字（1 为泊松，小于 1 则成簇）</translation>
  </message>
  <message>
   <source>burstiness {0}: a number above 0 (1 is Poisson, below 1 comes in bursts)</source>
   <translation>burstiness {0}：大于 0 的数字（1 为泊松，小于 1 则成簇）</translation>
  </message>
  <message>
   <source>ramp:FROM:TO:SECONDS, steps:RATE@SECONDS,RATE@SECONDS or bursts:BASE:PEAK:EVERY:FOR</source>
   <translation>ramp:FROM:TO:SECONDS、steps:RATE@SECONDS,RATE@SECONDS 或 bursts:BASE:PEAK:EVERY:FOR</translation>
  </message>
  <message>
   <source>rate profile: stretch of {0} s from {1} to {2} requests/s</source>
   <translation>速率曲线：{0} s 的一段，从 {1} 到 {2} 请求/s</translation>
  </message>
  <message>
   <source>rate profile: brings no requests</source>
   <translation>速率曲线：不带来任何请求</translation>
  </message>
  <message>
   <source>bursts of {0} s every {1} s: shorter than their period</source>
   <translation>每 {1} s 有 {0} s 的突发：须短于其周期</translation>
  </message>
  <message>
   <source>rate profile {0}: {1}</source>
   <translation>速率曲线 {0}：{1}</translation>
  </message>
  <message>
   <source>requests {0} duration_s {1}</source>
   <translation>requests {0} duration_s {1}</translation>
  </message>
  <message>
   <source>a rate profile needs arrivals poisson, gamma or constant: it replaces the trace's times</source>
   <translation>速率曲线需要 arrivals 为 poisson、gamma 或 constant：它取代轨迹的时间</translation>
  </message>
  <message>
   <source>concurrency {0}: at least 1</source>
   <translation>concurrency {0}：至少为 1</translation>
  </message>
  <message>
   <source>the trace has no rate of its own (its requests arrive at one time): name a rate and arrivals</source>
   <translation>轨迹没有自己的速率（其请求同时到达）：请指定速率与 arrivals</translation>
  </message>
  <message>
   <source>all requests arrive at one time: they can't be scaled to a rate; choose arrivals</source>
   <translation>所有请求同时到达：无法换算到某一速率；请选择 arrivals</translation>
  </message>
  <message>
   <source>the trace has no requests</source>
   <translation>轨迹没有请求</translation>
  </message>
  <message>
   <source>{0} {1}: a number above 0</source>
   <translation>{0} {1}：大于 0 的数字</translation>
  </message>
  <message>
   <source>{0} requests in one schedule: at most {1}</source>
   <translation>一个日程中有 {0} 个请求：最多 {1} 个</translation>
  </message>
  <message>
   <source>an id needs more than 64 bits</source>
   <translation>有一个标识超出 64 位</translation>
  </message>
  <message>
   <source>two ids are the same 64 bits</source>
   <translation>有两个标识的 64 位相同</translation>
  </message>
  <message>
   <source>{0} requests longer than {1} tokens</source>
   <translation>{0} 个请求长于 {1} token</translation>
  </message>
  <message>
   <source>{0} requests longer than {1} tokens {2} (longest {3})</source>
   <translation>{0} 个长于 {1} token 的请求{2}（最长 {3}）</translation>
  </message>
  <message>
   <source>max_len {0}: one of {1}</source>
   <translation>max_len {0}：须为 {1} 之一</translation>
  </message>
  <message>
   <source>max_model_len {0}: at least 2</source>
   <translation>max_model_len {0}：至少为 2</translation>
  </message>
  <message>
   <source>{0} of {1} requests need more than {2} tokens (longest {3}, first is row {4}): choose max_len drop or clamp, or a larger max_model_len</source>
   <translation>{1} 个请求中有 {0} 个需要超过 {2} token（最长 {3}，首个在第 {4} 行）：请选择 max_len drop 或 clamp，或更大的 max_model_len</translation>
  </message>
  <message>
   <source>no request fits {0} tokens (shortest {1})</source>
   <translation>没有请求放得进 {0} token（最短 {1}）</translation>
  </message>
  <message>
   <source>quantiles {0}: probabilities rise from 0 to 1, values don't fall</source>
   <translation>quantiles {0}：概率从 0 升到 1，数值不下降</translation>
  </message>
  <message>
   <source>requests {0}: at least one of each mix and at most {1}</source>
   <translation>requests {0}：每种混合至少一个，最多 {1}</translation>
  </message>
  <message>
   <source>rate {0}: requests per second, above 0</source>
   <translation>rate {0}：每秒请求数，大于 0</translation>
  </message>
  <message>
   <source>generated mix {0}</source>
   <translation>生成的混合 {0}</translation>
  </message>
  <message>
   <source>mix {0}: NAME or NAME:WEIGHT,NAME:WEIGHT</source>
   <translation>mix {0}：NAME 或 NAME:WEIGHT,NAME:WEIGHT</translation>
  </message>
  <message>
   <source>mix {0}: one of {1}</source>
   <translation>mix {0}：须为 {1} 之一</translation>
  </message>
  <message>
   <source>mix weight {0}: a number above 0</source>
   <translation>混合权重 {0}：大于 0 的数字</translation>
  </message>
  <message>
   <source>mix {0}</source>
   <translation>混合 {0}</translation>
  </message>
  <message>
   <source>mix {0}: {1} requests need more than {2} block ids</source>
   <translation>mix {0}：{1} 个请求需要超过 {2} 个块标识</translation>
  </message>
  <message>
   <source>mix {0}: as many weights as system prompts, at least one</source>
   <translation>mix {0}：权重须与系统提示一样多，至少一个</translation>
  </message>
  <message>
   <source>mix {0}: {1} {2}: a share from 0 to 1</source>
   <translation>mix {0}：{1} {2}：0 到 1 的份额</translation>
  </message>
  <message>
   <source>mix {0}: {1} {2}: from 1 to 10,000</source>
   <translation>mix {0}：{1} {2}：从 1 到 10,000</translation>
  </message>
  <message>
   <source>mix {0}: context_limit {1}: longer than the system prompts</source>
   <translation>mix {0}：context_limit {1}：须长于系统提示</translation>
  </message>
  <message>
   <source>synthetic {0} {1}: from 1 to {2}</source>
   <translation>synthetic {0} {1}：从 1 到 {2}</translation>
  </message>
  <message>
   <source>synthetic {0}:{1}</source>
   <translation>synthetic {0}:{1}</translation>
  </message>
  <message>
   <source>synthetic {0}: IN:OUT in tokens, such as 300:256</source>
   <translation>synthetic {0}：以 token 计的 IN:OUT，如 300:256</translation>
  </message>
  <message>
   <source>no output length</source>
   <translation>没有输出长度</translation>
  </message>
  <message>
   <source>AIPerf trace</source>
   <translation>AIPerf 轨迹</translation>
  </message>
  <message>
   <source>rows with text instead of a length: lengths were estimated from it (characters / 4)</source>
   <translation>有文本而无长度的行：长度由文本估计（字符数 / 4）</translation>
  </message>
  <message>
   <source>exactly one of input_length, text_input, messages and payload is needed</source>
   <translation>input_length、text_input、messages 与 payload 须恰有一个</translation>
  </message>
  <message>
   <source>AIPerf trace (JSON lines)</source>
   <translation>AIPerf 轨迹（JSON 行）</translation>
  </message>
  <message>
   <source>Azure LLM inference trace</source>
   <translation>Azure LLM 推理轨迹</translation>
  </message>
  <message>
   <source>Azure LLM inference trace (CSV)</source>
   <translation>Azure LLM 推理轨迹（CSV）</translation>
  </message>
  <message>
   <source>Qwen-Bailian trace</source>
   <translation>Qwen-Bailian 轨迹</translation>
  </message>
  <message>
   <source>Qwen-Bailian trace (JSON lines)</source>
   <translation>Qwen-Bailian 轨迹（JSON 行）</translation>
  </message>
  <message>
   <source>has a header but no rows</source>
   <translation>有表头而没有行</translation>
  </message>
  <message>
   <source>rates of this source are far below what loads a GPU: replay it with a speedup or a rate</source>
   <translation>此来源的速率远低于能压满 GPU 的水平：请以加速或指定速率重放</translation>
  </message>
  <message>
   <source>BurstGPT (CSV)</source>
   <translation>BurstGPT (CSV)</translation>
  </message>
  <message>
   <source>line {0}: {1}: not read</source>
   <translation>第 {0} 行：{1}：未读取</translation>
  </message>
  <message>
   <source>field workbench_trace: version {0}; this program reads version 1</source>
   <translation>字段 workbench_trace：版本 {0}；本程序读取版本 1</translation>
  </message>
  <message>
   <source>field block_tokens: from 1 to {0}</source>
   <translation>字段 block_tokens：从 1 到 {0}</translation>
  </message>
  <message>
   <source>field transforms: a factor that isn't a number above 0</source>
   <translation>字段 transforms：系数不是大于 0 的数字</translation>
  </message>
  <message>
   <source>vLLM Workbench trace (JSON lines)</source>
   <translation>vLLM Workbench 轨迹（JSON 行）</translation>
  </message>
  <message>
   <source>more fields than the header has columns</source>
   <translation>字段多于表头的列</translation>
  </message>
  <message>
   <source>no column {0} (it has {1})</source>
   <translation>没有列 {0}（它有 {1}）</translation>
  </message>
  <message>
   <source>more than {0} rows</source>
   <translation>超过 {0} 行</translation>
  </message>
  <message>
   <source>has no text</source>
   <translation>没有文本</translation>
  </message>
  <message>
   <source>format {0}: one of {1}</source>
   <translation>format {0}：须为 {1} 之一</translation>
  </message>
  <message>
   <source>not a known trace format ({0}); choose one of {1}, or map its columns (--columns timestamp=COLUMN,input_length=COLUMN,output_length=COLUMN)</source>
   <translation>不是已知的轨迹格式（{0}）；请从 {1} 中选择，或指定各列（--columns timestamp=COLUMN,input_length=COLUMN,output_length=COLUMN）</translation>
  </message>
  <message>
   <source>columns {0}</source>
   <translation>列 {0}</translation>
  </message>
  <message>
   <source>keys {0}</source>
   <translation>键 {0}</translation>
  </message>
  <message>
   <source>neither a CSV header nor a JSON object</source>
   <translation>既不是 CSV 表头也不是 JSON 对象</translation>
  </message>
  <message>
   <source>more than {0} values</source>
   <translation>超过 {0} 个值</translation>
  </message>
  <message>
   <source>not JSON: {0}</source>
   <translation>不是 JSON：{0}</translation>
  </message>
  <message>
   <source>one JSON document of more than {0} MiB: give one value a line</source>
   <translation>单个 JSON 文档超过 {0} MiB：请每行一个值</translation>
  </message>
  <message>
   <source>the JSON list ends too early</source>
   <translation>JSON 列表过早结束</translation>
  </message>
  <message>
   <source>item {0} of the list is longer than {1} MiB, or not JSON</source>
   <translation>列表的第 {0} 项长于 {1} MiB，或不是 JSON</translation>
  </message>
  <message>
   <source>item {0} of the list is not JSON</source>
   <translation>列表的第 {0} 项不是 JSON</translation>
  </message>
  <message>
   <source>field {0}: {1}</source>
   <translation>字段 {0}：{1}</translation>
  </message>
  <message>
   <source>line is not JSON</source>
   <translation>该行不是 JSON</translation>
  </message>
  <message>
   <source>no start time</source>
   <translation>没有开始时间</translation>
  </message>
  <message>
   <source>no token counts</source>
   <translation>没有 token 数</translation>
  </message>
  <message>
   <source>failed request</source>
   <translation>失败的请求</translation>
  </message>
  <message>
   <source>not a generation</source>
   <translation>不是生成</translation>
  </message>
  <message>
   <source>times without a zone were read as UTC</source>
   <translation>没有时区的时间按 UTC 读取</translation>
  </message>
  <message>
   <source>some times have a zone and some don't: gaps between them may be wrong by hours</source>
   <translation>有的时间带时区，有的不带：其间的间隔可能差几个小时</translation>
  </message>
  <message>
   <source>Helicone export</source>
   <translation>Helicone 导出</translation>
  </message>
  <message>
   <source>not a JSON object</source>
   <translation>不是 JSON 对象</translation>
  </message>
  <message>
   <source>Langfuse observations</source>
   <translation>Langfuse 观测</translation>
  </message>
  <message>
   <source>LiteLLM spend logs</source>
   <translation>LiteLLM 花费日志</translation>
  </message>
  <message>
   <source>answered by the proxy's cache</source>
   <translation>由代理的缓存回答</translation>
  </message>
  <message>
   <source>nginx access log</source>
   <translation>nginx 访问日志</translation>
  </message>
  <message>
   <source>not a line of the access log's format</source>
   <translation>不是该访问日志格式的行</translation>
  </message>
  <message>
   <source>arrival = time of the log line less the request time (nginx logs the end of a request)</source>
   <translation>到达 = 日志行的时间减去请求时间（nginx 记录请求的结束）</translation>
  </message>
  <message>
   <source>an access log has no token counts: every prompt was taken as {0} tokens, every answer as its bytes / {1}; only the arrivals are real</source>
   <translation>访问日志没有 token 数：每个提示按 {0} token 计，每个回答按其字节数 / {1} 计；只有到达是真实的</translation>
  </message>
  <message>
   <source>nginx access log with $request_time</source>
   <translation>带 $request_time 的 nginx 访问日志</translation>
  </message>
  <message>
   <source>OpenTelemetry spans</source>
   <translation>OpenTelemetry 跨度</translation>
  </message>
  <message>
   <source>spans without token counts: lengths were estimated from their text</source>
   <translation>没有 token 数的跨度：长度由其文本估计</translation>
  </message>
  <message>
   <source>vllm-vcr tap</source>
   <translation>vllm-vcr tap</translation>
  </message>
  <message>
   <source>field arrival_ms: some requests have it and some don't</source>
   <translation>字段 arrival_ms：有的请求有，有的没有</translation>
  </message>
  <message>
   <source>not a received request</source>
   <translation>不是收到的请求</translation>
  </message>
  <message>
   <source>vLLM request log</source>
   <translation>vLLM 请求日志</translation>
  </message>
  <message>
   <source>a vLLM log without `Received request` lines: it holds no requests (request logging was off)</source>
   <translation>vLLM 日志中没有 `Received request` 行：它不含请求（未开启请求日志）</translation>
  </message>
  <message>
   <source>times have no year; their gaps were read within one year</source>
   <translation>时间没有年份；其间隔按同一年读取</translation>
  </message>
  <message>
   <source>times have a grain of one second</source>
   <translation>时间的粒度为一秒</translation>
  </message>
  <message>
   <source>output lengths are the max_tokens asked for: an upper bound of what was generated</source>
   <translation>输出长度取所要求的 max_tokens：实际生成量的上限</translation>
  </message>
  <message>
   <source>prompts logged without token ids: lengths were estimated from their text</source>
   <translation>日志中的提示没有 token 标识：长度由其文本估计</translation>
  </message>
  <message>
   <source>mapped columns</source>
   <translation>指定的列</translation>
  </message>
  <message>
   <source>field {0}: not a time</source>
   <translation>字段 {0}：不是时间</translation>
  </message>
  <message>
   <source>field {0}: not a number of tokens</source>
   <translation>字段 {0}：不是 token 数</translation>
  </message>
  <message>
   <source>measured vLLM run</source>
   <translation>测得的 vLLM 运行</translation>
  </message>
  <message>
   <source>requests of a measured vLLM run</source>
   <translation>一次测得的 vLLM 运行的请求</translation>
  </message>
  <message>
   <source>Mooncake trace</source>
   <translation>Mooncake 轨迹</translation>
  </message>
  <message>
   <source>vLLM timed_trace</source>
   <translation>vLLM timed_trace</translation>
  </message>
  <message>
   <source>blocks of {0} tokens: by that size ids and lengths agree</source>
   <translation>每块 {0} token：按此大小，标识与长度相符</translation>
  </message>
  <message>
   <source>Mooncake trace (JSON lines)</source>
   <translation>Mooncake 轨迹（JSON 行）</translation>
  </message>
  <message>
   <source>vLLM bench timed_trace (JSON lines)</source>
   <translation>vLLM bench timed_trace（JSON 行）</translation>
  </message>
  <message>
   <source>warm-up request</source>
   <translation>预热请求</translation>
  </message>
  <message>
   <source>requests of an earlier measurement (--per-request)</source>
   <translation>先前一次测量的请求（--per-request）</translation>
  </message>
  <message>
   <source>think times are not in the file: turns are due when they were, or once the turn before has ended</source>
   <translation>思考时间不在文件中：各轮按当时的时间到期，或在上一轮结束之后</translation>
  </message>
  <message>
   <source>due_s read as wall seconds: those of a simulated run are divided by its time_scale</source>
   <translation>due_s 读作挂钟秒数：模拟运行的除以其 time_scale</translation>
  </message>
  <message>
   <source>lengths are those that were asked for; every outcome is kept, since all were asked for</source>
   <translation>长度取所要求的；每种结局都保留，因为都曾被要求</translation>
  </message>
  <message>
   <source>cancelled then: {0}; where is not in the file, so they run to their end</source>
   <translation>当时取消：{0}；取消之处不在文件中，因此运行到结束</translation>
  </message>
  <message>
   <source>not a whole number</source>
   <translation>不是整数</translation>
  </message>
  <message>
   <source>not from 0 to {0}</source>
   <translation>不在 0 到 {0} 之间</translation>
  </message>
  <message>
   <source>not a time in seconds</source>
   <translation>不是以秒计的时间</translation>
  </message>
  <message>
   <source>requests of a measurement (CSV of --per-request)</source>
   <translation>一次测量的请求（--per-request 的 CSV）</translation>
  </message>
  <message>
   <source>field {0}: {1} is not a number of tokens from 0 to {2}</source>
   <translation>字段 {0}：{1} 不是 0 到 {2} 的 token 数</translation>
  </message>
  <message>
   <source>field timestamp: not a finite time in ms</source>
   <translation>字段 timestamp：不是有限的 ms 时间</translation>
  </message>
  <message>
   <source>field {0}: not a finite time in ms from 0</source>
   <translation>字段 {0}：不是从 0 起的有限 ms 时间</translation>
  </message>
  <message>
   <source>field {0}: {1} is not a number from 0 to {2}</source>
   <translation>字段 {0}：{1} 不是 0 到 {2} 的数字</translation>
  </message>
  <message>
   <source>fields cancel_after_tokens and cancel_after_ms: a request is cancelled by one of them</source>
   <translation>字段 cancel_after_tokens 与 cancel_after_ms：请求只按其一取消</translation>
  </message>
  <message>
   <source>field priority: not a 32-bit number</source>
   <translation>字段 priority：不是 32 位数字</translation>
  </message>
  <message>
   <source>field hash_ids: ids that need more than 64 bits</source>
   <translation>字段 hash_ids：标识需要超过 64 位</translation>
  </message>
  <message>
   <source>field block_size: from 1 to {0}</source>
   <translation>字段 block_size：从 1 到 {0}</translation>
  </message>
  <message>
   <source>field block_size: another than in the lines before</source>
   <translation>字段 block_size：与前面各行不同</translation>
  </message>
  <message>
   <source>field hash_ids: more than {0} ids in the trace</source>
   <translation>字段 hash_ids：轨迹中的标识超过 {0} 个</translation>
  </message>
  <message>
   <source>field hash_ids: {0}: a negative one and one from 2^63 on</source>
   <translation>字段 hash_ids：{0}：一个为负，另一个不小于 2^63</translation>
  </message>
  <message>
   <source>ShareGPT conversations</source>
   <translation>ShareGPT 对话</translation>
  </message>
  <message>
   <source>not a conversation</source>
   <translation>不是对话</translation>
  </message>
  <message>
   <source>counted with the tokenizer given</source>
   <translation>用所给的分词器计数</translation>
  </message>
  <message>
   <source>estimated from their text (characters / 4)</source>
   <translation>由其文本估计（字符数 / 4）</translation>
  </message>
  <message>
   <source>ShareGPT has no token counts: lengths were counted with the tokenizer given</source>
   <translation>ShareGPT 没有 token 数：长度用所给的分词器计数</translation>
  </message>
  <message>
   <source>ShareGPT has no token counts: lengths were estimated from their text (characters / 4)</source>
   <translation>ShareGPT 没有 token 数：长度由其文本估计（字符数 / 4）</translation>
  </message>
  <message>
   <source>an answer to nothing</source>
   <translation>没有提问的回答</translation>
  </message>
  <message>
   <source>ShareGPT conversations (JSON)</source>
   <translation>ShareGPT 对话（JSON）</translation>
  </message>
  <message>
   <source>not a date with a time such as 2023-11-16 18:17:03.9799600</source>
   <translation>不是带时刻的日期，如 2023-11-16 18:17:03.9799600</translation>
  </message>
  <message>
   <source>not a finite number</source>
   <translation>不是有限的数字</translation>
  </message>
  <message>
   <source>a negative number of tokens</source>
   <translation>token 数为负</translation>
  </message>
  <message>
   <source>more than {0} tokens</source>
   <translation>超过 {0} token</translation>
  </message>
  <message>
   <source>not a whole number of tokens</source>
   <translation>不是整数个 token</translation>
  </message>
  <message>
   <source>times are dates with a time of day, read as UTC</source>
   <translation>时间是带时刻的日期，按 UTC 读取</translation>
  </message>
  <message>
   <source>TraceLab rounds</source>
   <translation>TraceLab 轮次</translation>
  </message>
  <message>
   <source>no timing events</source>
   <translation>没有计时事件</translation>
  </message>
  <message>
   <source>a round is due at its last input event; it waits for the one before it plus the gap between them</source>
   <translation>一轮在其最后一个输入事件时到期；它等待上一轮加上其间的间隔</translation>
  </message>
  <message>
   <source>prefixes as the provider reported them, in whole blocks of {0} tokens</source>
   <translation>前缀按提供方所报，取 {0} token 的整块</translation>
  </message>
  <message>
   <source>no column session_id or id</source>
   <translation>没有 session_id 或 id 列</translation>
  </message>
  <message>
   <source>TraceLab replay CSV</source>
   <translation>TraceLab 重放 CSV</translation>
  </message>
  <message>
   <source>arrival_time read as ms, the (synthetic) start of the session; later rounds wait for the one before</source>
   <translation>arrival_time 读作 ms，即会话的（合成的）开始；后续各轮等待上一轮</translation>
  </message>
  <message>
   <source>a negative time</source>
   <translation>时间为负</translation>
  </message>
  <message>
   <source>TraceLab rounds (JSON lines)</source>
   <translation>TraceLab 轮次（JSON 行）</translation>
  </message>
  <message>
   <source>the source has no arrival times: one request (or conversation) a second was assumed; name a rate</source>
   <translation>来源没有到达时间：假定每秒一个请求（或对话）；请指定速率</translation>
  </message>
  <message>
   <source>kv-cache-tester sessions</source>
   <translation>kv-cache-tester 会话</translation>
  </message>
  <message>
   <source>t read as seconds since the session's start; a turn waits for the one before plus its think_time</source>
   <translation>t 读作自会话开始的秒数；每轮等待上一轮加上其 think_time</translation>
  </message>
  <message>
   <source>sessions have no common clock: all begin at 0 (the transform stagger gives them starts)</source>
   <translation>各会话没有共同的时钟：都从 0 开始（变换 stagger 可给出各自的开始）</translation>
  </message>
  <message>
   <source>Weka / kv-cache-tester sessions (JSON)</source>
   <translation>Weka / kv-cache-tester 会话（JSON）</translation>
  </message>
  <message>
   <source>columns: no field {0}; one of {1}</source>
   <translation>columns：没有字段 {0}；须为 {1} 之一</translation>
  </message>
  <message>
   <source>columns: nothing is mapped to {0}</source>
   <translation>columns：没有列对应到 {0}</translation>
  </message>
  <message>
   <source>columns: unit {0}; one of {1}</source>
   <translation>columns：单位 {0}；须为 {1} 之一</translation>
  </message>
  <message>
   <source>columns {0}: FIELD=COLUMN, such as input_length=prompt_tokens</source>
   <translation>columns {0}：FIELD=COLUMN，如 input_length=prompt_tokens</translation>
  </message>
  <message>
   <source>no input tokens</source>
   <translation>没有输入 token</translation>
  </message>
  <message>
   <source>no output tokens</source>
   <translation>没有输出 token</translation>
  </message>
  <message>
   <source>times go backwards in the file: rows were sorted by time</source>
   <translation>文件中的时间有倒退：各行已按时间排序</translation>
  </message>
  <message>
   <source>kept of the texts: lengths and salted ids of prefix blocks; no text</source>
   <translation>文本只保留：长度与前缀块的加盐标识；没有文本</translation>
  </message>
  <message>
   <source>replayed prompts are invented tokens: routing of mixture-of-experts models and acceptance of speculative decoding will differ from the real ones</source>
   <translation>重放的提示是编造的 token：混合专家模型的路由与投机解码的接受率将与真实的不同</translation>
  </message>
  <message>
   <source>no prefix identity: every prompt is unique, so prefix-cache results are a lower bound</source>
   <translation>没有前缀标识：每个提示都是唯一的，因此前缀缓存的结果是下限</translation>
  </message>
  <message>
   <source>{0} rows have more hash_ids than blocks of their prompt; the rest is not used</source>
   <translation>{0} 行的 hash_ids 多于其提示的块；多余的不用</translation>
  </message>
  <message>
   <source>{0} rows have fewer hash_ids than blocks of their prompt; the rest of the prompt is unique</source>
   <translation>{0} 行的 hash_ids 少于其提示的块；提示的其余部分是唯一的</translation>
  </message>
  <message>
   <source>{0} requests have only {1} distinct times: the source snapped them to ticks, and a replay sends whole ticks at once (the transform spread-ticks spreads them)</source>
   <translation>{0} 个请求只有 {1} 个不同的时间：来源把它们归到刻度上，重放将一次发送整个刻度（变换 spread-ticks 可把它们分开）</translation>
  </message>
  <message>
   <source>{0} requests have only {1} distinct times: those of one time are sent at once</source>
   <translation>{0} 个请求只有 {1} 个不同的时间：同一时间的将一次发送</translation>
  </message>
  <message>
   <source>all {0} requests have one time: they are sent at once</source>
   <translation>全部 {0} 个请求只有一个时间：它们将一次发送</translation>
  </message>
  <message>
   <source>no request left of {0} rows ({1})</source>
   <translation>{0} 行中没有剩下的请求（{1}）</translation>
  </message>
  <message>
   <source>no request left of {0} rows</source>
   <translation>{0} 行中没有剩下的请求</translation>
  </message>
  <message>
   <source>neither a CSV with rows nor JSON objects</source>
   <translation>既不是带行的 CSV 也不是 JSON 对象</translation>
  </message>
  <message>
   <source>{0}: is a folder; name one file (join several with cat)</source>
   <translation>{0}：是文件夹；请指定一个文件（用 cat 连接多个）</translation>
  </message>
  <message>
   <source>{0}: is a pipe or a device; write it to a file first</source>
   <translation>{0}：是管道或设备；请先写入文件</translation>
  </message>
  <message>
   <source>{0}: is empty</source>
   <translation>{0}：是空的</translation>
  </message>
  <message>
   <source>{0}, line {1}: {2}</source>
   <translation>{0}，第 {1} 行：{2}</translation>
  </message>
  <message>
   <source>{0}: import stopped</source>
   <translation>{0}：导入已停止</translation>
  </message>
  <message>
   <source>a NUL byte: not a text file</source>
   <translation>有 NUL 字节：不是文本文件</translation>
  </message>
  <message>
   <source>longer than {0} MiB</source>
   <translation>长于 {0} MiB</translation>
  </message>
  <message>
   <source>is empty once unpacked</source>
   <translation>解压后是空的</translation>
  </message>
  <message>
   <source>can't be read: {0}</source>
   <translation>无法读取：{0}</translation>
  </message>
  <message>
   <source>the gzip archive ends too early</source>
   <translation>gzip 归档过早结束</translation>
  </message>
  <message>
   <source>the gzip archive is damaged: {0}</source>
   <translation>gzip 归档已损坏：{0}</translation>
  </message>
  <message>
   <source>the zstd archive is damaged: {0}</source>
   <translation>zstd 归档已损坏：{0}</translation>
  </message>
  <message>
   <source>the zstd archive ends too early</source>
   <translation>zstd 归档过早结束</translation>
  </message>
  <message>
   <source>layout {0}: one of {1}</source>
   <translation>layout {0}：须为 {1} 之一</translation>
  </message>
  <message>
   <source>in {0}-{1}</source>
   <translation>输入 {0}-{1}</translation>
  </message>
  <message>
   <source>in {0}+</source>
   <translation>输入 {0}+</translation>
  </message>
  <message>
   <source>bands {0}: rising numbers of tokens, such as 512,2048,8192</source>
   <translation>bands {0}：递增的 token 数，如 512,2048,8192</translation>
  </message>
  <message>
   <source>{0}: salt can't be read or made: {1}</source>
   <translation>{0}：盐无法读取或生成：{1}</translation>
  </message>
  <message>
   <source>{0}: a salt has at least {1} bytes</source>
   <translation>{0}：盐至少有 {1} 字节</translation>
  </message>
  <message>
   <source>counting tokens needs the package tokenizers (pip install vllm-workbench[tokenizer])</source>
   <translation>计数 token 需要软件包 tokenizers (pip install vllm-workbench[tokenizer])</translation>
  </message>
  <message>
   <source>{0}: no such tokenizer file</source>
   <translation>{0}：没有这样的分词器文件</translation>
  </message>
  <message>
   <source>{0}: not a tokenizer that this version of tokenizers reads</source>
   <translation>{0}：不是此版本 tokenizers 能读的分词器</translation>
  </message>
  <message>
   <source>vocabulary of {0} tokens: prompts need more than {1}</source>
   <translation>{0} 个 token 的词表：提示需要多于 {1}</translation>
  </message>
  <message>
   <source>seed {0}: a whole number from 0</source>
   <translation>seed {0}：从 0 起的整数</translation>
  </message>
  <message>
   <source>mean rate</source>
   <translation>平均速率</translation>
  </message>
  <message>
   <source>tick {0} ms: a time above 0</source>
   <translation>tick {0} ms：大于 0 的时间</translation>
  </message>
  <message>
   <source>all requests arrive at one time: name the tick to spread them over</source>
   <translation>所有请求同时到达：请指定要分开它们的刻度</translation>
  </message>
  <message>
   <source>a trace holds at most {0} rows and {1} block ids</source>
   <translation>一个轨迹最多有 {0} 行与 {1} 个块标识</translation>
  </message>
  <message>
   <source>blocks of {0} tokens can't be cut into blocks of {1}</source>
   <translation>{0} token 的块不能切成 {1} 的块</translation>
  </message>
  <message>
   <source>window {0}:{1} s: no request arrives within it (they do from 0 to {2})</source>
   <translation>window {0}:{1} s：其间没有请求到达（到达在 0 到 {2}）</translation>
  </message>
  <message>
   <source>phase {0}: prefill or decode</source>
   <translation>phase {0}：prefill 或 decode</translation>
  </message>
  <message>
   <source>phase {0}: no request of the trace is {1}-heavy (ratio {2})</source>
   <translation>phase {0}：轨迹中没有偏重 {1} 的请求（比值 {2}）</translation>
  </message>
  <message>
   <source>sample {0}: a share above 0 and up to 1</source>
   <translation>sample {0}：大于 0 至 1 的份额</translation>
  </message>
  <message>
   <source>replicate {0}: from 2 to 10,000 copies</source>
   <translation>replicate {0}：2 到 10,000 份</translation>
  </message>
  <message>
   <source>blend: at least two traces, each with its weight</source>
   <translation>blend：至少两个轨迹，各带权重</translation>
  </message>
  <message>
   <source>blend weights {0}: numbers above 0</source>
   <translation>blend 权重 {0}：大于 0 的数字</translation>
  </message>
  <message>
   <source>blend of {0}</source>
   <translation>混合自 {0}</translation>
  </message>
  <message>
   <source>blend of </source>
   <translation>混合自 </translation>
  </message>
  <message>
   <source>the trace has no session of more than one turn: nothing can wait for a previous turn</source>
   <translation>轨迹中没有多于一轮的会话：没有什么可等待上一轮</translation>
  </message>
  <message>
   <source>stagger {0}: sessions per second, above 0</source>
   <translation>stagger {0}：每秒会话数，大于 0</translation>
  </message>
  <message>
   <source>the KV cache has no room for one request of {0} tokens: {1} GiB needed, {2} GiB there</source>
   <translation>KV 缓存容不下一个 {0} token 的请求：需要 {1} GiB，只有 {2} GiB</translation>
  </message>
  <message>
   <source>lower max_model_len to {3} or less, or raise gpu_memory_utilization</source>
   <translation>将 max_model_len 降到 {3} 或更低，或提高 gpu_memory_utilization</translation>
  </message>
  <message>
   <source>the KV cache has no room for one request of {0} tokens</source>
   <translation>KV 缓存容不下一个 {0} token 的请求</translation>
  </message>
  <message>
   <source>lower max_model_len to {1} or less, or raise gpu_memory_utilization</source>
   <translation>将 max_model_len 降到 {1} 或更低，或提高 gpu_memory_utilization</translation>
  </message>
  <message>
   <source>lower max_model_len or raise gpu_memory_utilization</source>
   <translation>降低 max_model_len 或提高 gpu_memory_utilization</translation>
  </message>
  <message>
   <source>the KV cache holds {1} tokens, less than one request of {0}</source>
   <translation>KV 缓存容纳 {1} 个 token，少于一个 {0} token 的请求</translation>
  </message>
  <message>
   <source>weights and activations leave {0} GiB for the KV cache</source>
   <translation>权重与激活之后，留给 KV 缓存的为 {0} GiB</translation>
  </message>
  <message>
   <source>raise gpu_memory_utilization, or take a smaller or quantised model</source>
   <translation>提高 gpu_memory_utilization，或换用更小或量化的模型</translation>
  </message>
  <message>
   <source>weights and activations leave no memory for the KV cache</source>
   <translation>权重与激活之后，没有内存留给 KV 缓存</translation>
  </message>
  <message>
   <source>another process holds memory of GPU {0}: {1} of {2} GiB are free, {3} GiB are wanted</source>
   <translation>另有进程占用 GPU {0} 的显存：{2} GiB 中空闲 {1} GiB，需要 {3} GiB</translation>
  </message>
  <message>
   <source>end the process that holds it (nvidia-smi lists them) or lower gpu_memory_utilization</source>
   <translation>结束占用它的进程（nvidia-smi 可列出）或降低 gpu_memory_utilization</translation>
  </message>
  <message>
   <source>the GPU's memory ran out while warming up with {0} sequences</source>
   <translation>以 {0} 个序列预热时 GPU 显存耗尽</translation>
  </message>
  <message>
   <source>lower max_num_seqs or gpu_memory_utilization, one at a time</source>
   <translation>降低 max_num_seqs 或 gpu_memory_utilization，一次只改一个</translation>
  </message>
  <message>
   <source>the model's weights don't fit the GPU's memory</source>
   <translation>模型的权重放不进 GPU 显存</translation>
  </message>
  <message>
   <source>take a smaller or quantised model, or spread it with tensor_parallel_size</source>
   <translation>换用更小或量化的模型，或用 tensor_parallel_size 分布它</translation>
  </message>
  <message>
   <source>another process freed GPU memory while vLLM measured it</source>
   <translation>vLLM 测量时另有进程释放了 GPU 显存</translation>
  </message>
  <message>
   <source>start again when nothing else starts or ends on this GPU</source>
   <translation>待此 GPU 上没有其他程序启动或结束时再启动</translation>
  </message>
  <message>
   <source>the GPU's memory ran out ({0} more was wanted)</source>
   <translation>GPU 显存耗尽（还需要 {0}）</translation>
  </message>
  <message>
   <source>lower gpu_memory_utilization, max_num_seqs or max_num_batched_tokens, one at a time</source>
   <translation>降低 gpu_memory_utilization、max_num_seqs 或 max_num_batched_tokens，一次只改一个</translation>
  </message>
  <message>
   <source>the port is in use</source>
   <translation>端口已被占用</translation>
  </message>
  <message>
   <source>choose another port, or stop the server that holds it</source>
   <translation>换一个端口，或停止占用它的服务器</translation>
  </message>
  <message>
   <source>this vLLM doesn't know {0}</source>
   <translation>此版本 vLLM 不认识 {0}</translation>
  </message>
  <message>
   <source>remove it, or take a vLLM that has it</source>
   <translation>去掉它，或换用支持它的 vLLM</translation>
  </message>
  <message>
   <source>correct its value</source>
   <translation>更正其值</translation>
  </message>
  <message>
   <source>max_num_batched_tokens ({0}) is below max_num_seqs ({1})</source>
   <translation>max_num_batched_tokens（{0}）小于 max_num_seqs（{1}）</translation>
  </message>
  <message>
   <source>raise max_num_batched_tokens to {1} or lower max_num_seqs to {0}</source>
   <translation>将 max_num_batched_tokens 提高到 {1}，或将 max_num_seqs 降到 {0}</translation>
  </message>
  <message>
   <source>without chunked prefill max_num_batched_tokens ({0}) must hold a prompt of max_model_len ({1})</source>
   <translation>不用分块预填充时，max_num_batched_tokens（{0}）必须容纳 max_model_len（{1}）的提示</translation>
  </message>
  <message>
   <source>raise max_num_batched_tokens to {1}, lower max_model_len to {0}, or enable chunked prefill</source>
   <translation>将 max_num_batched_tokens 提高到 {1}，将 max_model_len 降到 {0}，或启用分块预填充</translation>
  </message>
  <message>
   <source>max_model_len ({0}) is above what the model was made for ({1})</source>
   <translation>max_model_len（{0}）超过模型的设计长度（{1}）</translation>
  </message>
  <message>
   <source>lower max_model_len to {1}</source>
   <translation>将 max_model_len 降到 {1}</translation>
  </message>
  <message>
   <source>the attention kernel can't work with block size {0}</source>
   <translation>注意力内核不能使用块大小 {0}</translation>
  </message>
  <message>
   <source>choose another block_size, or leave it to vLLM (on CPUs: a multiple of 32)</source>
   <translation>另选 block_size，或交给 vLLM 决定（在 CPU 上须为 32 的倍数）</translation>
  </message>
  <message>
   <source>tensor times pipeline parallel size asks for {0} GPUs, and {1} are there</source>
   <translation>张量并行乘流水线并行需要 {0} 个 GPU，而只有 {1} 个</translation>
  </message>
  <message>
   <source>lower tensor_parallel_size</source>
   <translation>降低 tensor_parallel_size</translation>
  </message>
  <message>
   <source>tensor_parallel_size {1} doesn't divide the model's {0} attention heads</source>
   <translation>tensor_parallel_size {1} 不能整除模型的 {0} 个注意力头</translation>
  </message>
  <message>
   <source>choose one that does</source>
   <translation>请选能整除的</translation>
  </message>
  <message>
   <source>a dimension of the model ({0}) can't be split into {1} parts</source>
   <translation>模型的一个维度（{0}）不能分成 {1} 份</translation>
  </message>
  <message>
   <source>choose a tensor_parallel_size that divides it, mostly a power of two</source>
   <translation>请选能整除它的 tensor_parallel_size，通常是二的幂</translation>
  </message>
  <message>
   <source>the model is gated on Hugging Face and this account may not read it</source>
   <translation>该模型在 Hugging Face 上受限，此账户无权读取</translation>
  </message>
  <message>
   <source>accept its licence there and give the server a HF_TOKEN of that account</source>
   <translation>在那里接受其许可，并把该账户的 HF_TOKEN 交给服务器</translation>
  </message>
  <message>
   <source>the model was not found, neither as a folder nor on Hugging Face</source>
   <translation>找不到该模型，既不是文件夹，Hugging Face 上也没有</translation>
  </message>
  <message>
   <source>check its name or path; a private model needs a HF_TOKEN</source>
   <translation>检查其名称或路径；私有模型需要 HF_TOKEN</translation>
  </message>
  <message>
   <source>the model isn't in the local cache and Hugging Face can't be reached</source>
   <translation>该模型不在本地缓存中，且无法连到 Hugging Face</translation>
  </message>
  <message>
   <source>download it first, give its folder, or allow the connection (HF_HUB_OFFLINE)</source>
   <translation>先下载它，给出其文件夹，或允许连接（HF_HUB_OFFLINE）</translation>
  </message>
  <message>
   <source>the folder {0} has no weights</source>
   <translation>文件夹 {0} 中没有权重</translation>
  </message>
  <message>
   <source>give the folder that holds the .safetensors files</source>
   <translation>请给出存放 .safetensors 文件的文件夹</translation>
  </message>
  <message>
   <source>the installed Transformers doesn't know model type {0}</source>
   <translation>所装的 Transformers 不认识模型类型 {0}</translation>
  </message>
  <message>
   <source>upgrade transformers in vLLM's environment, or take a newer vLLM</source>
   <translation>在 vLLM 的环境中升级 transformers，或换用更新的 vLLM</translation>
  </message>
  <message>
   <source>this vLLM doesn't support the architecture {0}</source>
   <translation>此版本 vLLM 不支持架构 {0}</translation>
  </message>
  <message>
   <source>take a newer vLLM, or another model</source>
   <translation>换用更新的 vLLM，或另一个模型</translation>
  </message>
  <message>
   <source>vLLM finds no GPU</source>
   <translation>vLLM 找不到 GPU</translation>
  </message>
  <message>
   <source>check the driver with nvidia-smi and CUDA_VISIBLE_DEVICES</source>
   <translation>用 nvidia-smi 检查驱动，并检查 CUDA_VISIBLE_DEVICES</translation>
  </message>
  <message>
   <source>the NVIDIA driver is too old for this vLLM</source>
   <translation>NVIDIA 驱动对此版本 vLLM 而言太旧</translation>
  </message>
  <message>
   <source>update the driver, or take a vLLM built for an older CUDA</source>
   <translation>更新驱动，或换用为较旧 CUDA 构建的 vLLM</translation>
  </message>
  <message>
   <source>the shared memory of its processes (/dev/shm) is too small</source>
   <translation>其进程的共享内存（/dev/shm）太小</translation>
  </message>
  <message>
   <source>give it more; in a container: shm_size = "16g" in [target]</source>
   <translation>请给更多；在容器中：[target] 中设 shm_size = "16g"</translation>
  </message>
  <message>
   <source>the server may not open as many files as it needs; each stream is one</source>
   <translation>服务器不得打开它所需的那么多文件；每个流算一个</translation>
  </message>
  <message>
   <source>raise the limit of open files (ulimit -n) where it is started</source>
   <translation>在启动它之处提高打开文件数的限制（ulimit -n）</translation>
  </message>
  <message>
   <source>the disk of {0} is full</source>
   <translation>{0} 所在的磁盘已满</translation>
  </message>
  <message>
   <source>make room there</source>
   <translation>请在那里腾出空间</translation>
  </message>
  <message>
   <source>a disk that it writes to is full</source>
   <translation>它写入的某个磁盘已满</translation>
  </message>
  <message>
   <source>make room where models and compiled code are cached, in /tmp, and beside the bench file, where the steps are recorded</source>
   <translation>请在缓存模型和编译代码的地方、/tmp 以及 bench 文件旁（记录步的地方）腾出空间</translation>
  </message>
  <message>
   <source>the server's user may not read or write {0}</source>
   <translation>服务器的用户无权读写 {0}</translation>
  </message>
  <message>
   <source>give it that right; in a container the folder's owner and label count</source>
   <translation>请给予该权限；在容器中看文件夹的所有者与标签</translation>
  </message>
  <message>
   <source>the server's user may not read or write a file that it needs</source>
   <translation>服务器的用户无权读写它所需的文件</translation>
  </message>
  <message>
   <source>the engine didn't come up in the time that vLLM waits for it</source>
   <translation>引擎未在 vLLM 等待的时间内启动</translation>
  </message>
  <message>
   <source>raise VLLM_ENGINE_READY_TIMEOUT_S</source>
   <translation>提高 VLLM_ENGINE_READY_TIMEOUT_S</translation>
  </message>
  <message>
   <source>this Python has no vLLM</source>
   <translation>此 Python 中没有 vLLM</translation>
  </message>
  <message>
   <source>name an environment that has it</source>
   <translation>请指定装有它的环境</translation>
  </message>
  <message>
   <source>the engine died while serving, without a word of its own: it was killed, or crashed</source>
   <translation>引擎在服务期间终止，没有留下话：它被杀死，或崩溃了</translation>
  </message>
  <message>
   <source>see whether the machine's memory ran out (dmesg); the server has to be started again</source>
   <translation>查看机器的内存是否耗尽（dmesg）；服务器须重新启动</translation>
  </message>
  <message>
   <source>; its last words: {0}</source>
   <translation>；其最后的话：{0}</translation>
  </message>
  <message>
   <source> without a word</source>
   <translation>，没有留下话</translation>
  </message>
  <message>
   <source>with exit code {0}</source>
   <translation>，退出码 {0}</translation>
  </message>
  <message>
   <source>the server ended unexpectedly; its last words: {0}</source>
   <translation>服务器意外结束；其最后的话：{0}</translation>
  </message>
  <message>
   <source>the server ended unexpectedly without a word</source>
   <translation>服务器意外结束，没有留下话</translation>
  </message>
  <message>
   <source>the server ended with exit code {0}; its last words: {1}</source>
   <translation>服务器以退出码 {0} 结束；其最后的话：{1}</translation>
  </message>
  <message>
   <source>the server ended with exit code {0} without a word</source>
   <translation>服务器以退出码 {0} 结束，没有留下话</translation>
  </message>
  <message>
   <source>importing vLLM</source>
   <translation>正在导入 vLLM</translation>
  </message>
  <message>
   <source>reading the model's configuration</source>
   <translation>正在读取模型的配置</translation>
  </message>
  <message>
   <source>starting the engine</source>
   <translation>正在启动引擎</translation>
  </message>
  <message>
   <source>loading weights</source>
   <translation>正在加载权重</translation>
  </message>
  <message>
   <source>sizing the KV cache</source>
   <translation>正在确定 KV 缓存的大小</translation>
  </message>
  <message>
   <source>capturing CUDA graphs</source>
   <translation>正在捕获 CUDA 图</translation>
  </message>
  <message>
   <source>starting the HTTP server</source>
   <translation>正在启动 HTTP 服务器</translation>
  </message>
  <message>
   <source>{0}, line {1}: not a step record: {2}</source>
   <translation>{0}，第 {1} 行：不是步记录：{2}</translation>
  </message>
  <message>
   <source>Better: {0}.</source>
   <translation>更好：{0}。</translation>
  </message>
  <message>
   <source>Connection refused</source>
   <translation>连接被拒绝</translation>
  </message>
  <message>
   <source>Exec format error</source>
   <translation>执行格式错误</translation>
  </message>
  <message>
   <source>Is a directory</source>
   <translation>是文件夹</translation>
  </message>
  <message>
   <source>KV cache at {0}</source>
   <translation>KV 缓存在 {0}</translation>
  </message>
  <message>
   <source>Moved: {0}.</source>
   <translation>改变：{0}。</translation>
  </message>
  <message>
   <source>No configuration is recommended: {0} meets the latency objectives, but rejects {1}: state an error_rate objective to decide.</source>
   <translation>不推荐任何配置：{0} 满足延迟目标，但拒绝 {1}：请说明 error_rate 目标再作决定。</translation>
  </message>
  <message>
   <source>No configuration is recommended: {0} rejects {1}: state an error_rate objective to decide.</source>
   <translation>不推荐任何配置：{0} 拒绝 {1}：请说明 error_rate 目标再作决定。</translation>
  </message>
  <message>
   <source>No such file or directory</source>
   <translation>没有这样的文件或文件夹</translation>
  </message>
  <message>
   <source>Not comparable: the baseline is not valid ({0}).</source>
   <translation>不可比较：基线无效（{0}）。</translation>
  </message>
  <message>
   <source>Not comparable: the variant is not valid ({0}).</source>
   <translation>不可比较：变体无效（{0}）。</translation>
  </message>
  <message>
   <source>Permission denied</source>
   <translation>没有权限</translation>
  </message>
  <message>
   <source>Worse: {0}.</source>
   <translation>更差：{0}。</translation>
  </message>
  <message>
   <source>file is not a database</source>
   <translation>文件不是数据库</translation>
  </message>
  <message>
   <source>estimated</source>
   <translation>估计</translation>
  </message>
  <message>
   <source>fitted from kernels</source>
   <translation>由内核时间拟合</translation>
  </message>
  <message>
   <source>measured</source>
   <translation>测得</translation>
  </message>
  <message>
   <source>not a known trace format ({0})</source>
   <translation>不是已知的轨迹格式（{0}）</translation>
  </message>
  <message>
   <source>the conductor can't be started: {0}</source>
   <translation>指挥进程无法启动：{0}</translation>
  </message>
  <message>
   <source>this installation lacks its manual; install it again</source>
   <translation>此安装缺少手册；请重新安装</translation>
  </message>
  <message>
   <source>sequence limit at {0}</source>
   <translation>序列上限在 {0}</translation>
  </message>
  <message>
   <source>step {0}: {1}</source>
   <translation>步骤 {0}：{1}</translation>
  </message>
  <message>
   <source>step {0}: {1} leaves no request</source>
   <translation>步骤 {0}：{1} 之后没有剩下请求</translation>
  </message>
  <message>
   <source>token budget at {0}</source>
   <translation>token 预算在 {0}</translation>
  </message>
  <message>
   <source>under {0} %</source>
   <translation>低于 {0} %</translation>
  </message>
  <message>
   <source>server {0}</source>
   <translation>服务器{0}</translation>
  </message>
  <message>
   <source>server {0}: {1}</source>
   <translation>服务器{0}：{1}</translation>
  </message>
  <message>
   <source>, all with: {0}</source>
   <translation>，都因：{0}</translation>
  </message>
  <message>
   <source>[Errno {0}] {1}</source>
   <translation>[Errno {0}] {1}</translation>
  </message>
  <message>
   <source>{0} better</source>
   <translation>{0} 更好</translation>
  </message>
  <message>
   <source>{0} cancelled</source>
   <translation>{0} 个被取消</translation>
  </message>
  <message>
   <source>{0} diverging</source>
   <translation>{0} 发散</translation>
  </message>
  <message>
   <source>{0} failed</source>
   <translation>{0} 个失败</translation>
  </message>
  <message>
   <source>{0} missing key {1}</source>
   <translation>{0} 缺少键 {1}</translation>
  </message>
  <message>
   <source>{0} rejected</source>
   <translation>{0} 个被拒绝</translation>
  </message>
  <message>
   <source>{0} timed out</source>
   <translation>{0} 个超时</translation>
  </message>
  <message>
   <source>{0} unfinished</source>
   <translation>{0} 个未完成</translation>
  </message>
  <message>
   <source>{0} unknown key {1}</source>
   <translation>{0} 未知的键 {1}</translation>
  </message>
  <message>
   <source>{0} worse</source>
   <translation>{0} 更差</translation>
  </message>
  <message>
   <source>around</source>
   <translation>约为</translation>
  </message>
  <message>
   <source>better</source>
   <translation>更好</translation>
  </message>
  <message>
   <source>busy</source>
   <translation>忙碌</translation>
  </message>
  <message>
   <source>clock</source>
   <translation>时钟</translation>
  </message>
  <message>
   <source>computing</source>
   <translation>正在计算</translation>
  </message>
  <message>
   <source>disk</source>
   <translation>磁盘</translation>
  </message>
  <message>
   <source>draining</source>
   <translation>收尾中</translation>
  </message>
  <message>
   <source>done</source>
   <translation>已完成</translation>
  </message>
  <message>
   <source>default</source>
   <translation>默认</translation>
  </message>
  <message>
   <source>degraded</source>
   <translation>有问题</translation>
  </message>
  <message>
   <source>diverging</source>
   <translation>发散</translation>
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
   <source>invalid</source>
   <translation>无效</translation>
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
   <source>misses</source>
   <translation>未满足</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
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
   <source>preemptions</source>
   <translation>抢占</translation>
  </message>
  <message>
   <source>ready</source>
   <translation>就绪</translation>
  </message>
  <message>
   <source>rejected</source>
   <translation>拒绝</translation>
  </message>
  <message>
   <source>reproduced</source>
   <translation>已复现</translation>
  </message>
  <message>
   <source>skipped</source>
   <translation>已跳过</translation>
  </message>
  <message>
   <source>stable</source>
   <translation>稳定</translation>
  </message>
  <message>
   <source>starting</source>
   <translation>正在启动</translation>
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
   <source>undecided</source>
   <translation>未定</translation>
  </message>
  <message>
   <source>unexpected {0}: {1}; the log has more</source>
   <translation>意外的 {0}：{1}；日志中有更多</translation>
  </message>
  <message>
   <source>unexpectedly</source>
   <translation>意外地</translation>
  </message>
  <message>
   <source>worse</source>
   <translation>更差</translation>
  </message>
 </context>
 <context>
  <name>decision sheet</name>
  <message>
   <source>System</source>
   <translation>系统</translation>
  </message>
  <message>
   <source>Accepted/s</source>
   <translation>合格请求/s</translation>
  </message>
  <message>
   <source>At the highest rate at which the objectives were met</source>
   <translation>在其自身可持续的速率下：目标仍成立的最高速率</translation>
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
   <source>GPU</source>
   <translation>GPU</translation>
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
   <translation>对未完成请求设限（max_num_queued_reqs，也计入运行中的）时，超出者立即得到 503；其余等得更短。</translation>
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
   <source>For those who were interrupted that is a freeze of up to 3.3 s in mid-sentence. And still the machine does more in total: with 15 seats the last nine jobs run by themselves, in steps that could have carried more.</source>
   <translation>对被打断者而言，这是句子中途最长 3.3 s 的停顿。然而机器总体上做得更多：15 个席位时，最后九个作业单独运行，而那些步本可承载更多。</translation>
  </message>
  <message>
   <source>Both sides are true. Whether a preemption is bad depends on who is reading: a batch job gains 13 %, a person loses patience.</source>
   <translation>两面都成立。抢占是否糟糕取决于谁在阅读：批处理作业获益 13 %，人则失去耐心。</translation>
  </message>
  <message>
   <source>24 seats</source>
   <translation>24 个席位</translation>
  </message>
  <message>
   <source>9 preemptions, 7,225 tokens computed twice, one freeze of 3.3 s; 1,604 tokens/s.</source>
   <translation>9 次抢占，7,225 个 token 计算了两遍，一次 3.3 s 的停顿；1,604 token/s。</translation>
  </message>
  <message>
   <source>15 seats</source>
   <translation>15 个席位</translation>
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
   <translation>席位是运行列表中的一个位置（max_num_seqs）。对一步而言，为 32 个请求解码只比为 8 个略贵，因此席位就是吞吐量。</translation>
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
   <source>8 seats</source>
   <translation>8 个席位</translation>
  </message>
  <message>
   <source>3.9 completed a second of 12 that come.</source>
   <translation>每秒到来 12 个，完成 3.9 个。</translation>
  </message>
  <message>
   <source>16 seats</source>
   <translation>16 个席位</translation>
  </message>
  <message>
   <source>7.3 a second; 280 wait when the minute is over.</source>
   <translation>每秒 7.3 个；一分钟结束时有 280 个在等待。</translation>
  </message>
  <message>
   <source>32 seats</source>
   <translation>32 个席位</translation>
  </message>
  <message>
   <source>Keeps up, but only just: a cluster of arrivals makes some wait 0.7 s.</source>
   <translation>跟得上，但只是勉强：一阵集中的到达让一些请求等待 0.7 s。</translation>
  </message>
  <message>
   <source>64 seats</source>
   <translation>64 个席位</translation>
  </message>
  <message>
   <source>Nobody ever waits for a seat: 49 run at most.</source>
   <translation>从无人等待席位：最多 49 个在运行。</translation>
  </message>
  <message>
   <source>128 seats</source>
   <translation>128 个席位</translation>
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
   <source>static</source>
   <translation>静态</translation>
  </message>
  <message>
   <source>B waits 5.9 s for a seat that has been empty for most of that time.</source>
   <translation>B 等待 5.9 s，而那个席位大部分时间是空的。</translation>
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
   <source>The scorecard</source>
   <translation>记分卡</translation>
  </message>
  <message>
   <source>Why tools differ</source>
   <translation>各工具为何不同</translation>
  </message>
  <message>
   <source>Servers</source>
   <translation>服务器</translation>
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
   <source>vLLM versions</source>
   <translation>vLLM 版本</translation>
  </message>
  <message>
   <source>Events</source>
   <translation>事件</translation>
  </message>
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
   <source>Measure over SSH</source>
   <translation>通过 SSH 测量</translation>
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
   <source>Diagnosis rules</source>
   <translation>诊断规则</translation>
  </message>
  <message>
   <source>Traces</source>
   <translation>轨迹</translation>
  </message>
  <message>
   <source>The bench file</source>
   <translation>基准文件</translation>
  </message>
  <message>
   <source>How figures are defined</source>
   <translation>数字的定义</translation>
  </message>
  <message>
   <source>Memory sizing</source>
   <translation>显存估算</translation>
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
   <source>Server starting</source>
   <translation>服务器正在启动</translation>
  </message>
  <message>
   <source>Between runs</source>
   <translation>运行之间</translation>
  </message>
  <message>
   <source>The next configuration's server starts with an empty cache.</source>
   <translation>下一配置的服务器正在启动，缓存为空。</translation>
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
   <source>The embedded engine simulates {0}; simulated figures are marked {1}.</source>
   <translation>内置引擎模拟 {0}；模拟数字带有 {1}。</translation>
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
   <source>burst ×{0}</source>
   <translation>突发 ×{0}</translation>
  </message>
  <message>
   <source>burst ends</source>
   <translation>突发结束</translation>
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
   <source>objective</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>Time from due to the first token, over the last seconds; and the age of the oldest request without one, which shows trouble before any percentile.</source>
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
   <source>Means over requests that finished just now: the wait until first scheduled, the time from then to the first token, and the part of TTFT outside the scheduler (client, network, front end). The last two need a server that reports each request.</source>
   <translation>刚完成的请求的平均值：直至首次调度的等待、由此至首个 token 的时间，以及 TTFT 中在调度器之外（客户端、网络、前端）度过的部分。后两项仅在服务器逐请求报告时可知。</translation>
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
  <name>status line</name>
  <message>
   <source>no server</source>
   <translation>没有服务器</translation>
  </message>
  <message>
   <source>demo {0}: replayed exactly on {1}, figures {2} simulated</source>
   <translation>演示 {0}：在 {1} 上精确重放，数字为 {2} 模拟</translation>
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
  <message>
   <source>{0}, but {1}</source>
   <translation>{0}，但{1}</translation>
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
