#!/bin/bash
# Init script on Databricks. In the cluster's environment: KAFKALYST_JARS, the folder of the wheel's jars in a volume, and
# KAFKALYST_SPARK, one of its Spark versions.
set -euo pipefail
mkdir -p /databricks/kafkalyst
cp "$KAFKALYST_JARS"/{,common/,"spark-$KAFKALYST_SPARK/"}*.jar /databricks/kafkalyst/
