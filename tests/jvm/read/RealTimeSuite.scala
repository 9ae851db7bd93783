package io.kafkalyst.read

import io.kafkalyst.bridge.RealTime
import org.scalatest.funsuite.AnyFunSuite

final class RealTimeSuite extends AnyFunSuite {
  test("Spark has real-time mode since 4.1") {
    Seq("3.5.6", "4.0.0", "4.0.2").foreach(version => assert(!RealTime.isIn(version), version))
    Seq("4.1.0-preview1", "4.1.2", "4.2.0", "4.10.0", "5.0.0-SNAPSHOT").foreach { version =>
      assert(RealTime.isIn(version), version)
    }
  }

  test("a local master tells how many tasks run at a time") {
    assert(TaskSlots.ofLocal("local").contains(1))
    assert(TaskSlots.ofLocal("local[3]").contains(3))
    assert(TaskSlots.ofLocal("local[3,2]").contains(3))
    assert(TaskSlots.ofLocal("local[*]").contains(Runtime.getRuntime.availableProcessors))
    Seq("local-cluster[2,1,1024]", "spark://127.0.0.1:7077", "yarn").foreach { master =>
      assert(TaskSlots.ofLocal(master).isEmpty, master)
    }
  }
}
